#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// How often this process had to make way for another, although it had work to do.
enum Interruptions {
  static var now: Int {
    var usage = rusage()
    let thisProcess: Int32 = 0  // RUSAGE_SELF, which is of another type in each C library.
    return unsafe getrusage(thisProcess, &usage) == 0 ? Int(usage.ru_nivcsw) : 0
  }
}
