// communicator.cpp - what is made of a communicator's own functions.
#include "runtime/blocks/mpi/communicator.h"
#include <cstdint>

namespace facet::runtime {

Communicator::~Communicator() = default;

void Communicator::broadcast(std::string &text, int from) {
  std::uint64_t size = text.size();
  broadcast(&size, sizeof size, from);
  text.resize(size);
  broadcast(text.data(), text.size(), from);
}

void Communicator::broadcast(std::vector<double> &values, int from) {
  std::uint64_t size = values.size();
  broadcast(&size, sizeof size, from);
  values.resize(size);
  broadcast(values.data(), values.size() * sizeof(double), from);
}

double Communicator::sum(double value) {
  sum(&value, 1);
  return value;
}

double Communicator::max(double value) {
  max(&value, 1);
  return value;
}

} // namespace facet::runtime
