"""Derivatives of fits: the model's own or differences, whichever takes fewer calls of the model."""
import numpy as np
import pytest

import facet
from facet import fit


class Counting:
    """Has derivatives of its own, and says what they take."""
    names = ["a", "b"]

    def __init__(self):
        self.asked = []

    def __call__(self, v):
        return np.array([v["a"], v["a"] + v["b"], v["a"] + 2 * v["b"]])

    def slope_calls(self, names):
        return {name: {"a": 1, "b": 3}[name] for name in names}

    def slopes(self, values, names):
        self.asked.append(list(names))
        return {name: np.array({"a": [1.0, 1.0, 1.0], "b": [0.0, 1.0, 2.0]}[name]) for name in names}


@pytest.mark.parametrize("exact, asked, calls", [(None, ["a"], 2), (True, ["a", "b"], 1), (False, [], 3)])
def test_derivatives_by_fewer_calls(exact, asked, calls):
    """Each parameter takes the cheaper way by the model's count, unless one is asked for."""
    model = Counting()
    data = fit.Data([1.0, 3.0, 4.0], errors=[0.5, 0.5, 2.0])
    problem = fit.Problem(model, data, {"a": (1.0, -5, 5), "b": (1.0, -5, 5)}, **({} if exact is None else {"exact": exact}))
    assert problem.own == asked
    assert np.allclose(problem.jacobian([1, 1]), [[2, 0], [2, 2], [0.5, 1]], atol=1e-9)
    assert model.asked == ([asked] if asked else []) and problem.evaluations == calls


def test_derivatives_that_a_model_cannot_give_are_differences():
    def refuse(values, names):
        raise facet.Error("a library cannot be differentiated")

    model = Counting()
    model.slopes = refuse
    data, parameters = fit.Data([1.0, 3.0, 4.0], errors=[0.5, 0.5, 2.0]), {"a": (1.0, -5, 5), "b": (1.0, -5, 5)}
    assert np.allclose(fit.Problem(model, data, parameters).jacobian([1, 1]), [[2, 0], [2, 2], [0.5, 1]], atol=1e-9)
    with pytest.raises(facet.Error, match="a library"):
        fit.Problem(model, data, parameters, exact=True).jacobian([1, 1])
