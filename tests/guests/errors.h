/* The errors that guests meet, by name and text. */
#ifndef ERRORS_H
#define ERRORS_H

#include <asm/errno.h>

static const struct {
	int number;
	const char *name, *text;
} error_names[] = {
	{ EPERM, "EPERM", "Operation not permitted" },
	{ ENOENT, "ENOENT", "No such file or directory" },
	{ ESRCH, "ESRCH", "No such process" },
	{ EINTR, "EINTR", "Interrupted system call" },
	{ EIO, "EIO", "Input/output error" },
	{ ENXIO, "ENXIO", "No such device or address" },
	{ E2BIG, "E2BIG", "Argument list too long" },
	{ ENOEXEC, "ENOEXEC", "Exec format error" },
	{ EBADF, "EBADF", "Bad file descriptor" },
	{ ECHILD, "ECHILD", "No child processes" },
	{ EAGAIN, "EAGAIN", "Resource temporarily unavailable" },
	{ ENOMEM, "ENOMEM", "Cannot allocate memory" },
	{ EACCES, "EACCES", "Permission denied" },
	{ EFAULT, "EFAULT", "Bad address" },
	{ EBUSY, "EBUSY", "Device or resource busy" },
	{ EEXIST, "EEXIST", "File exists" },
	{ EXDEV, "EXDEV", "Invalid cross-device link" },
	{ ENODEV, "ENODEV", "No such device" },
	{ ENOTDIR, "ENOTDIR", "Not a directory" },
	{ EISDIR, "EISDIR", "Is a directory" },
	{ EINVAL, "EINVAL", "Invalid argument" },
	{ ENOTTY, "ENOTTY", "Inappropriate ioctl for device" },
	{ EFBIG, "EFBIG", "File too large" },
	{ ENOSPC, "ENOSPC", "No space left on device" },
	{ ESPIPE, "ESPIPE", "Illegal seek" },
	{ EROFS, "EROFS", "Read-only file system" },
	{ EPIPE, "EPIPE", "Broken pipe" },
	{ ERANGE, "ERANGE", "Numerical result out of range" },
	{ ENAMETOOLONG, "ENAMETOOLONG", "File name too long" },
	{ ENOSYS, "ENOSYS", "Function not implemented" },
	{ ENOTEMPTY, "ENOTEMPTY", "Directory not empty" },
	{ ELOOP, "ELOOP", "Too many levels of symbolic links" },
	{ ENODATA, "ENODATA", "No data available" },
	{ EOPNOTSUPP, "EOPNOTSUPP", "Operation not supported" },
	{ EOVERFLOW, "EOVERFLOW", "Value too large for defined data type" },
	{ EBADFD, "EBADFD", "File descriptor in bad state" },
	{ ENOTSOCK, "ENOTSOCK", "Socket operation on non-socket" },
	{ EAFNOSUPPORT, "EAFNOSUPPORT", "Address family not supported by protocol" },
	{ EPROTONOSUPPORT, "EPROTONOSUPPORT", "Protocol not supported" },
	{ EADDRINUSE, "EADDRINUSE", "Address already in use" },
	{ EADDRNOTAVAIL, "EADDRNOTAVAIL", "Cannot assign requested address" },
	{ ENOTCONN, "ENOTCONN", "Transport endpoint is not connected" },
	{ EISCONN, "EISCONN", "Transport endpoint is already connected" },
	{ ECONNREFUSED, "ECONNREFUSED", "Connection refused" },
	{ EINPROGRESS, "EINPROGRESS", "Operation now in progress" },
	{ EALREADY, "EALREADY", "Operation already in progress" },
	{ ENOPROTOOPT, "ENOPROTOOPT", "Protocol not available" },
	{ EDESTADDRREQ, "EDESTADDRREQ", "Destination address required" },
	{ EMSGSIZE, "EMSGSIZE", "Message too long" },
	{ ENOMSG, "ENOMSG", "No message of desired type" },
	{ EIDRM, "EIDRM", "Identifier removed" },
	{ ETIMEDOUT, "ETIMEDOUT", "Connection timed out" },
	{ ENOLCK, "ENOLCK", "No locks available" },
	{ ENOKEY, "ENOKEY", "Required key not available" },
	{ EDEADLK, "EDEADLK", "Resource deadlock avoided" },
};

#endif
