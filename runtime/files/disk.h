// disk.h - how HDF5 writes to the disk here: it never hears of what the disk refuses.
#pragma once
#include "runtime/files/hdf5.h"

namespace facet::runtime::h5 {

/// Properties for opening a file that is written, which closes with all that is open in it. The
/// errno of the first request that the disk refuses goes to `refused`, -1 before; it must outlive
/// the file.
///
/// HDF5 1.10 cannot leave a file that it could not write: it keeps what was refused, tries again
/// when datasets, the file or the program end, drops some of it without a word, and crashes. So
/// requests never fail here. From the first refusal on nothing more is written, and what HDF5 may
/// read again, all but values of datasets, is kept in memory until the file is closed.
Handle writingAccess(int *refused);

} // namespace facet::runtime::h5
