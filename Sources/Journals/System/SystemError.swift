#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// The reason why a system call failed.
package struct SystemError: Error, Hashable, Sendable {
  /// The system's error number; nil if there was none: see ``noProgress``.
  package let code: Int32?

  package init(code: Int32?) { self.code = code }

  /// A signal interrupted the call, which may be repeated.
  package static let interrupted = SystemError(code: EINTR)
  /// Nothing has this name.
  package static let absent = SystemError(code: ENOENT)
  /// The name is already taken.
  package static let exists = SystemError(code: EEXIST)
  /// The name is longer than the file system allows.
  package static let nameTooLong = SystemError(code: ENAMETOOLONG)
  /// The bytes aren't valid text for a name.
  package static let invalidText = SystemError(code: EILSEQ)
  /// The file isn't a symbolic link.
  package static let notALink = SystemError(code: EINVAL)
  /// Another process has the lock.
  package static let locked = SystemError(code: EWOULDBLOCK)
  /// The path has more symbolic links than the system follows.
  package static let tooManyLinks = SystemError(code: ELOOP)
  /// The file is in use; for a rename or a removal: another file system is mounted there.
  package static let mounted = SystemError(code: EBUSY)
  /// The two names are on different file systems.
  package static let otherFileSystem = SystemError(code: EXDEV)
  #if canImport(Darwin)
    /// The file has no attribute of this name any more.
    package static let noAttribute = SystemError(code: ENOATTR)
  #else
    /// The file has no attribute of this name any more.
    package static let noAttribute = SystemError(code: ENODATA)
  #endif
  /// A write wrote no bytes and reported no error.
  package static let noProgress = SystemError(code: nil)

  /// Whether the file system cannot make hard links, or not to this file.
  package var isWithoutLinks: Bool { isUnsupported || code == EPERM || code == EMLINK }

  /// Whether the file system cannot exchange two files, or rename a file only if the new name is free.
  package var isWithoutExchange: Bool { isUnsupported || code == EINVAL }

  /// Whether the file system doesn't support the call, or not for this file.
  package var isUnsupported: Bool { code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS }

  /// Whether the process may not make the call, or the file system doesn't support it.
  package var isUnavailable: Bool { isUnsupported || kind == .permissionDenied }

  /// The meaning of an error number; several numbers can mean the same.
  package enum Kind: Hashable, Sendable {
    case permissionDenied, absent, notAFolder, isAFolder, tooManyLinks, nameTooLong, invalidText, readOnly, noSpace
    case otherFileSystem, tooLarge, tooManyOpenFiles, busy, noMemory, deviceFailure, unreachable, unknown
  }

  package var kind: Kind {
    switch code {
    case EACCES, EPERM: .permissionDenied
    case ENOENT: .absent
    case ENOTDIR: .notAFolder
    case EISDIR: .isAFolder
    case ELOOP: .tooManyLinks
    case ENAMETOOLONG: .nameTooLong
    case EILSEQ: .invalidText
    case EROFS: .readOnly
    case ENOSPC, EDQUOT: .noSpace
    case EXDEV: .otherFileSystem
    case EFBIG: .tooLarge
    case EMFILE, ENFILE: .tooManyOpenFiles
    case EAGAIN, EBUSY, ETXTBSY: .busy
    case ENOMEM, ENOBUFS: .noMemory
    case EIO, ENXIO, ENODEV, EBADMSG, nil: .deviceFailure
    case ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENOTCONN, ECONNRESET: .unreachable
    default: .unknown
    }
  }

  /// Whether a read error says that the file is damaged, and not just that this process may not read it, or not now.
  package var isDamage: Bool { kind == .deviceFailure }
}
