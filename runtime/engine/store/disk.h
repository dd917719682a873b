// disk.h - how HDF5 uses the disk here: it never hears of what the disk refuses.
#pragma once
#include "runtime/engine/store/hdf5.h"

namespace facet::runtime::h5 {

/// Properties for opening a file. The errno of the first request that the disk refuses goes to
/// `refused`, -1 before; it must outlive the file. Reading, a lock is asked for as HDF5 does.
///
/// HDF5 1.10 cannot leave a file that it could not write. It keeps what was refused and tries again
/// when datasets, the file or the program end; it drops some of it without a word, and crashes. So
/// requests never fail here. From the first refusal on nothing more is written, and what HDF5 may
/// read again, all but values of datasets, is kept in memory until the file is closed. What could
/// not be read is zeros: 1.10 would take some failed reads for objects that are not there.
Handle accessBy(int *refused);
/// The same of a file that is written: it closes with all that is open in it.
Handle writingAccess(int *refused);

} // namespace facet::runtime::h5
