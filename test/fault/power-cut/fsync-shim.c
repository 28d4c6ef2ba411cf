/* Loaded into a process with LD_PRELOAD: keeps the fsynced bytes of each file apart, ends the process at an fsync, or fails it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int flushes = 0;

/* Returns the path of the descriptor within DATA_FOLDER, or NULL. */
static const char *name_of(int fd, char *path, size_t size) {
  const char *folder = getenv("DATA_FOLDER");
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, size - 1);
  if (folder == NULL || length < 0) return NULL;
  path[length] = 0;
  size_t prefix = strlen(folder);
  return strncmp(path, folder, prefix) == 0 && path[prefix] == '/' ? path + prefix + 1 : NULL;
}

/* Replaces the durable copy of the file by its present content. */
static void copy_file(const char *path, const char *name) {
  char target[4096], part[4102], buffer[65536];
  snprintf(target, sizeof target, "%s/%s", getenv("DURABLE_FOLDER"), name);
  snprintf(part, sizeof part, "%s.part", target);
  int from = open(path, O_RDONLY), to = open(part, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ssize_t length;
  if (from < 0 || to < 0) abort();
  while ((length = read(from, buffer, sizeof buffer)) > 0)
    if (write(to, buffer, length) != length) abort();
  close(from);
  close(to);
  if (rename(part, target) != 0) abort();
}

static int flush(int fd, const char *function) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, function);
  char path[4096];
  const char *name = name_of(fd, path, sizeof path);
  const char *failing = getenv("FAILING_FILE");
  if (name == NULL) return real(fd);
  if (failing != NULL && access(failing, F_OK) == 0) {
    errno = EIO;
    return -1;
  }
  const char *die = getenv("DIE_AT_FLUSH");
  const char *log = strstr(name, "-wal");
  if (die != NULL && log != NULL && ++flushes == atoi(die)) kill(getpid(), SIGKILL);
  copy_file(path, name);
  return real(fd);
}

int fsync(int fd) { return flush(fd, "fsync"); }
int fdatasync(int fd) { return flush(fd, "fdatasync"); }
