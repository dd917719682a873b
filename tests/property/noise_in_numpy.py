"""Poisson noise by docs/experiments.md, one number at a time: SplitMix64 of seed, image, pixel; products, or Hormann's PTRS."""
import math

MASK, STEP = 2 ** 64 - 1, 0x9E3779B97F4A7C15


def mixed(x):
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


def uniforms(seed, image, pixel):
    state = 0
    for part in (seed, image, pixel):
        state = mixed((state + part + STEP) & MASK)
    while True:
        state = (state + STEP) & MASK
        yield ((mixed(state) >> 12) + 0.5) * 2.0 ** -52


def poisson(mean, seed, image, pixel):
    if not mean > 0:
        return mean
    drawn = uniforms(seed, image, pixel)
    if mean < 10:
        count, product = 0, next(drawn)
        while product > math.exp(-mean):
            count, product = count + 1, product * next(drawn)
        return count
    b = 0.931 + 2.53 * math.sqrt(mean)
    a = -0.059 + 0.02483 * b
    while True:
        u, v = next(drawn) - 0.5, next(drawn)
        us = 0.5 - abs(u)
        count = math.floor((2 * a / us + b) * u + mean + 0.43)
        if us >= 0.07 and v <= 0.9277 - 3.6224 / (b - 2):
            return count
        if count < 0 or us < 0.013 and v > us:
            continue
        if math.log(v * (1.1239 + 1.1328 / (b - 3.4)) / (a / us ** 2 + b)) <= count * math.log(mean) - mean - math.lgamma(count + 1):
            return count
