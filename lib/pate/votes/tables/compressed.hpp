#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pate/votes/numeric_table.hpp"

namespace pate::io {

/// Whether bytes begin as gzip does.
[[nodiscard]] bool is_gzip(std::span<const std::byte> bytes);

/// Looks at what was inflated so far: where that is wrong already, the rest need not be.
using Look = std::function<void(std::span<const std::byte> so_far)>;

/// The contents of a gzip file of any number of members, one after the other; zeros after the last
/// are padding. Every member's checksum and length are checked. `look` is called after the first
/// megabyte and whenever there is twice as much.
///
/// Throws `input_error` naming `name` when the file is truncated, corrupt, or followed by something
/// else, with the place in the file; and when there are more than 2^28 bytes inside, and more than
/// 512 times as many as the file has: as soon as the header of an array in it or what was inflated
/// says so. Members of archives are held to the same, as soon as the archive says so.
[[nodiscard]] std::vector<std::byte> gunzip(std::span<const std::byte> bytes,
                                            const std::string& name, const Look& look = {});

/// Whether bytes begin as a zip archive does.
[[nodiscard]] bool is_zip(std::span<const std::byte> bytes);

/// An array of an .npz archive, a zip of .npy files as `numpy.savez` and `savez_compressed` write
/// them, copied into memory.
///
/// `member` is the array's name, with or without ".npy"; empty means the only one there is, or the
/// sparse matrix in compressed rows (CSR) that `scipy.sparse.save_npz` wrote; "all", where none is
/// called so, all of one shape and dtype, one after another. The table is called
/// `name:member`, `name` being that of the archive; a sparse matrix `name`. `archive` is not needed
/// afterwards.
///
/// Throws `input_error` when the archive cannot be read, when there is no such member or none was
/// named and there are several (the message lists those there are), when it is encrypted or its
/// checksum is wrong, for a sparse matrix in another form, with the line that converts it, and what
/// `NpyTable`, `SparseTable`, `StackedTable` and `refuse_foreign_archive` throw. Where `reading`
/// says so, several arrays are stacked when no member is named, and NaN is a value that is missing.
[[nodiscard]] std::shared_ptr<const NumericTable> open_npz_member(
    std::span<const std::byte> archive, const std::string& name, std::string_view member,
    const FirstLine& reading = {});

}  // namespace pate::io
