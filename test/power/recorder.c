/*
 * Records what a process changes below the directory POWER_ROOT, in order, into the file POWER_LOG: preloaded with
 * LD_PRELOAD, it stands before the functions of libc. Syncs are recorded and not done: the disk is only imagined.
 *
 * A record is a line of words separated by tabs, for W followed by the bytes:
 *   O path ino          a new file            W ino offset length   bytes written
 *   T ino size          a truncation          S ino                 a file was synced
 *   Y path              a directory synced    M path                a new directory
 *   R from to           a rename              L from to             a link
 *   U path              a file removed        X path                a directory removed
 *   A text              the process opens /power-ack/<text>: what it has promised
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FDS 65536
#define ACK "/power-ack/"
#define REAL(name) real_##name
#define FIND(name) (real_##name = (__typeof__(real_##name))dlsym(RTLD_NEXT, #name))

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static ssize_t (*real_pwritev)(int, const struct iovec *, int, off_t);
static int (*real_ftruncate)(int, off_t);
static int (*real_truncate)(const char *, off_t);
static int (*real_rename)(const char *, const char *);
static int (*real_link)(const char *, const char *);
static int (*real_unlink)(const char *);
static int (*real_mkdir)(const char *, mode_t);
static int (*real_rmdir)(const char *);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);

struct held { char *path; ino_t ino; dev_t device; int is_directory; };
static struct held held[FDS];
static char root[PATH_MAX];
static size_t root_length;
static int log_fd = -1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void begin(void) {
  FIND(open); FIND(close); FIND(write); FIND(pwrite); FIND(writev); FIND(pwritev); FIND(ftruncate);
  FIND(truncate); FIND(rename); FIND(link); FIND(unlink); FIND(mkdir); FIND(rmdir); FIND(fsync); FIND(fdatasync);
  const char *given = getenv("POWER_ROOT"), *place = getenv("POWER_LOG");
  if (!given || !place) return;
  snprintf(root, sizeof root, "%s", given);
  root_length = strlen(root);
  log_fd = real_open(place, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* The path below the root, or NULL. The process must use absolute paths. */
static const char *below(const char *path) {
  if (log_fd < 0 || strncmp(path, root, root_length) != 0) return NULL;
  if (path[root_length] == 0) return ".";
  return path[root_length] == '/' ? path + root_length + 1 : NULL;
}

/* What a descriptor is open for, if that is below the root. Some descriptors are closed past `close`, and used again. */
static struct held *of(int fd) {
  struct stat is;
  if (fd < 0 || fd >= FDS || !held[fd].path || fstat(fd, &is) != 0) return NULL;
  return is.st_ino == held[fd].ino && is.st_dev == held[fd].device ? &held[fd] : NULL;
}

static void note(const struct iovec *data, int count, const char *format, ...) {
  char line[3 * PATH_MAX];
  va_list words;
  va_start(words, format);
  int length = vsnprintf(line, sizeof line, format, words);
  va_end(words);
  if (length < 0 || (size_t)length >= sizeof line || real_write(log_fd, line, length) != length) abort();
  for (int i = 0; i < count; i++)
    for (size_t done = 0; done < data[i].iov_len;) {
      ssize_t more = real_write(log_fd, (char *)data[i].iov_base + done, data[i].iov_len - done);
      if (more < 0) abort();
      done += more;
    }
}

static int opened(const char *path, int flags, mode_t mode) {
  if (log_fd >= 0 && strncmp(path, ACK, strlen(ACK)) == 0) {
    pthread_mutex_lock(&lock);
    note(NULL, 0, "A\t%s\n", path + strlen(ACK));
    pthread_mutex_unlock(&lock);
    errno = ENOENT;
    return -1;
  }
  const char *name = below(path);
  if (!name) return real_open(path, flags, mode);
  pthread_mutex_lock(&lock);
  struct stat before, after;
  int was_there = stat(path, &before) == 0;
  int fd = real_open(path, flags, mode);
  int error = errno;
  if (fd >= 0 && fd < FDS && fstat(fd, &after) == 0) {
    free(held[fd].path);
    held[fd] = (struct held){strdup(name), after.st_ino, after.st_dev, S_ISDIR(after.st_mode)};
    if (!was_there) note(NULL, 0, "O\t%s\t%lu\n", name, (unsigned long)after.st_ino);
    else if (flags & O_TRUNC) note(NULL, 0, "T\t%lu\t0\n", (unsigned long)after.st_ino);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

#define OPEN(name)                                              \
  int name(const char *path, int flags, ...) {                  \
    va_list words;                                              \
    va_start(words, flags);                                     \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(words, mode_t) : 0; \
    va_end(words);                                              \
    return opened(path, flags, mode);                           \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  pthread_mutex_lock(&lock);
  if (fd >= 0 && fd < FDS && held[fd].path) {
    free(held[fd].path);
    held[fd].path = NULL;
  }
  int result = real_close(fd);
  pthread_mutex_unlock(&lock);
  return result;
}

/* `at`: the offset, or -1 for that of the descriptor. */
static void wrote(int fd, const struct iovec *data, int count, off_t at, ssize_t written) {
  struct held *is = of(fd);
  if (!is || written <= 0) return;
  if (at < 0) at = lseek(fd, 0, SEEK_CUR) - written;
  struct iovec done[count];
  ssize_t left = written;
  for (int i = 0; i < count; i++) {
    done[i] = data[i];
    if ((ssize_t)done[i].iov_len > left) done[i].iov_len = left;
    left -= done[i].iov_len;
  }
  note(done, count, "W\t%lu\t%ld\t%ld\n", (unsigned long)is->ino, (long)at, (long)written);
}

#define WRITING(call, data, count, at)                          \
  if (!of(fd)) return call;                                     \
  pthread_mutex_lock(&lock);                                    \
  ssize_t result = call;                                        \
  int error = errno;                                            \
  wrote(fd, data, count, at, result);                           \
  pthread_mutex_unlock(&lock);                                  \
  errno = error;                                                \
  return result;

ssize_t write(int fd, const void *bytes, size_t length) {
  struct iovec one = {(void *)bytes, length};
  WRITING(real_write(fd, bytes, length), &one, 1, -1)
}
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  struct iovec one = {(void *)bytes, length};
  WRITING(real_pwrite(fd, bytes, length, at), &one, 1, at)
}
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { return pwrite(fd, bytes, length, at); }
ssize_t writev(int fd, const struct iovec *data, int count) { WRITING(real_writev(fd, data, count), data, count, -1) }
ssize_t pwritev(int fd, const struct iovec *data, int count, off_t at) {
  WRITING(real_pwritev(fd, data, count, at), data, count, at)
}
ssize_t pwritev64(int fd, const struct iovec *data, int count, off64_t at) { return pwritev(fd, data, count, at); }

#define CHANGING(type, call, condition, ...)                    \
  if (!(condition)) return call;                                \
  pthread_mutex_lock(&lock);                                    \
  type result = call;                                           \
  int error = errno;                                            \
  if (result == 0) note(NULL, 0, __VA_ARGS__);                  \
  pthread_mutex_unlock(&lock);                                  \
  errno = error;                                                \
  return result;

int ftruncate(int fd, off_t size) {
  CHANGING(int, real_ftruncate(fd, size), of(fd), "T\t%lu\t%ld\n", (unsigned long)held[fd].ino, (long)size)
}
int ftruncate64(int fd, off64_t size) { return ftruncate(fd, size); }
int truncate(const char *path, off_t size) {
  struct stat is = {0};
  if (below(path)) stat(path, &is);
  CHANGING(int, real_truncate(path, size), below(path), "T\t%lu\t%ld\n", (unsigned long)is.st_ino, (long)size)
}
int rename(const char *from, const char *to) {
  CHANGING(int, real_rename(from, to), below(from) && below(to), "R\t%s\t%s\n", below(from), below(to))
}
int link(const char *from, const char *to) {
  CHANGING(int, real_link(from, to), below(from) && below(to), "L\t%s\t%s\n", below(from), below(to))
}
int unlink(const char *path) { CHANGING(int, real_unlink(path), below(path), "U\t%s\n", below(path)) }
int mkdir(const char *path, mode_t mode) {
  CHANGING(int, real_mkdir(path, mode), below(path), "M\t%s\n", below(path))
}
int rmdir(const char *path) { CHANGING(int, real_rmdir(path), below(path), "X\t%s\n", below(path)) }

static int synced(int fd, int (*real)(int)) {
  struct held *is = of(fd);
  if (!is) return real(fd);
  pthread_mutex_lock(&lock);
  if (is->is_directory) note(NULL, 0, "Y\t%s\n", is->path);
  else note(NULL, 0, "S\t%lu\n", (unsigned long)is->ino);
  pthread_mutex_unlock(&lock);
  return 0;
}
int fsync(int fd) { return synced(fd, real_fsync); }
int fdatasync(int fd) { return synced(fd, real_fdatasync); }
