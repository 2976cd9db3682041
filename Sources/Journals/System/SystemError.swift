#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Why a system call failed.
package struct SystemError: Error, Hashable, Sendable {
  /// The number that the system gave, or nil where it gave none: see ``noProgress``.
  package let code: Int32?

  package init(code: Int32?) { self.code = code }
}

extension SystemError {
  /// A signal came in between; the call may be made again.
  package static let interrupted = SystemError(code: EINTR)
  /// There is nothing of this name.
  package static let absent = SystemError(code: ENOENT)
  /// There is something of this name already.
  package static let exists = SystemError(code: EEXIST)
  /// The bytes are no text that a name can have.
  package static let invalidText = SystemError(code: EILSEQ)
  /// What should be a symbolic link is none.
  package static let notALink = SystemError(code: EINVAL)
  /// Another process has the lock.
  package static let locked = SystemError(code: EWOULDBLOCK)
  /// There are more symbolic links than the system follows.
  package static let tooManyLinks = SystemError(code: ELOOP)
  /// The two names are on different file systems.
  package static let otherFileSystem = SystemError(code: EXDEV)
  /// The file has no attribute of this name any more.
  package static let noAttribute = SystemError(code: noAttributeCode)
  /// A write took no byte and gave no reason.
  package static let noProgress = SystemError(code: nil)
}

#if canImport(Darwin)
  private let noAttributeCode = ENOATTR
#else
  private let noAttributeCode = ENODATA
#endif

extension SystemError {
  /// Whether the file system has no second names for files, or not for this file.
  package var isWithoutLinks: Bool { isUnsupported || code == EPERM || code == EMLINK }

  /// Whether the file system cannot exchange two files, nor rename one only where the new name is free.
  package var isWithoutExchange: Bool { isUnsupported || code == EINVAL }

  /// Whether the file system has no such call, or not for this file.
  package var isUnsupported: Bool { code == ENOTSUP || code == EOPNOTSUPP || code == ENOSYS }

  /// What the error numbers mean: several can mean the same.
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

  /// Whether an error of reading says that the file cannot be read, and not that this process may not, or not now.
  package var isDamage: Bool { kind == .deviceFailure }
}
