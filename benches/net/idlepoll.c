/* Library to preload on the emulated cluster, so that many polling ranks can share few cores. A thread whose calls of
 * epoll_wait or poll with a zero timeout have found nothing many times in a row waits in the kernel for the next
 * event, at most 10 ms. Arriving data ends the wait at once.
 *
 * Written data counts as an event: a rank that has just sent data is working, and may only have checked for more.
 * Otherwise a rank that sends and tests in turn would sleep between its messages.
 *
 * If NET_YIELD is set, a thread yields its core to other ranks instead of waiting, because data in shared memory would
 * not end the wait. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>

enum { QUESTIONS = 6, WAIT_MS = 10 };
static int (*real_epoll_wait)(int, struct epoll_event *, int, int);
static int (*real_epoll_pwait)(int, struct epoll_event *, int, int, const sigset_t *);
static int (*real_poll)(struct pollfd *, nfds_t, int);
static ssize_t (*real_send)(int, const void *, size_t, int);
static ssize_t (*real_sendmsg)(int, const struct msghdr *, int);
static ssize_t (*real_writev)(int, const struct iovec *, int);
static __thread int fruitless;
static int yields;

__attribute__((constructor)) static void find(void) {
  yields = getenv("NET_YIELD") != NULL;
  real_epoll_wait = (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  real_epoll_pwait =
      (int (*)(int, struct epoll_event *, int, int, const sigset_t *))dlsym(RTLD_NEXT, "epoll_pwait");
  real_poll = (int (*)(struct pollfd *, nfds_t, int))dlsym(RTLD_NEXT, "poll");
  real_send = (ssize_t(*)(int, const void *, size_t, int))dlsym(RTLD_NEXT, "send");
  real_sendmsg = (ssize_t(*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
  real_writev = (ssize_t(*)(int, const struct iovec *, int))dlsym(RTLD_NEXT, "writev");
}

static int patience(int timeout) {
  if (timeout != 0 || fruitless < QUESTIONS) return timeout;
  if (yields) sched_yield();
  return yields ? 0 : WAIT_MS;
}
static int answered(int events) {
  if (events > 0) fruitless = 0;
  else if (fruitless < QUESTIONS) fruitless++;
  return events;
}
static ssize_t wrote(ssize_t bytes) {
  if (bytes > 0) fruitless = 0;
  return bytes;
}

int epoll_wait(int set, struct epoll_event *events, int most, int timeout) {
  return answered(real_epoll_wait(set, events, most, patience(timeout)));
}
int epoll_pwait(int set, struct epoll_event *events, int most, int timeout, const sigset_t *mask) {
  return answered(real_epoll_pwait(set, events, most, patience(timeout), mask));
}
/* Checks whether one descriptor is ready, without waiting. */
int poll(struct pollfd *list, nfds_t count, int timeout) {
  return count > 1 ? answered(real_poll(list, count, patience(timeout))) : real_poll(list, count, timeout);
}
ssize_t send(int socket, const void *data, size_t bytes, int flags) {
  return wrote(real_send(socket, data, bytes, flags));
}
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  return wrote(real_sendmsg(socket, message, flags));
}
ssize_t writev(int file, const struct iovec *parts, int count) { return wrote(real_writev(file, parts, count)); }
