/* SPDX-License-Identifier: Apache-2.0
 * Asks a server one question after another over one connection that stays open, and times each: what a
 * client in C sees of a search.
 *
 *   http_client PORT KEY BODIES ROUNDS
 *
 * BODIES has a path and a JSON body in each line, with a tab between. Prints p50 and p99 in µs, questions a
 * second, and the median size of an answer. Any answer but 200 ends it. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { QUESTIONS_MAX = 100000, ANSWER_MAX = 1 << 24 };

struct request {
  char* bytes;
  size_t size;
};

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static int connected(int port) {
  const int on = 1, socket_fd = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((unsigned short)port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket_fd < 0 || connect(socket_fd, (struct sockaddr*)&address, sizeof address) != 0)
    fail("connect");
  setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket_fd;
}

/* The size of the answer, which has a Content-Length. */
static size_t exchange(int socket_fd, const struct request* request, char* answer) {
  size_t have = 0, wanted = 0;
  for (size_t sent = 0; sent < request->size;) {
    const ssize_t n = write(socket_fd, request->bytes + sent, request->size - sent);
    if (n <= 0) fail("write");
    sent += (size_t)n;
  }
  while (wanted == 0 || have < wanted) {
    const ssize_t n = read(socket_fd, answer + have, ANSWER_MAX - 1 - have);
    if (n <= 0) fail("read");
    have += (size_t)n;
    answer[have] = 0;
    if (wanted != 0) continue;
    const char* end = strstr(answer, "\r\n\r\n");
    if (end == NULL) continue;
    if (strncmp(answer, "HTTP/1.1 200", 12) != 0) {
      fprintf(stderr, "%.500s\n", answer);
      exit(1);
    }
    const char* length = strcasestr(answer, "\r\ncontent-length:");
    if (length == NULL || length > end) {
      fprintf(stderr, "an answer without a length\n");
      exit(1);
    }
    wanted = (size_t)(end + 4 - answer) + (size_t)strtoul(length + 17, NULL, 10);
  }
  return have;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return x < y ? -1 : x > y;
}

int main(int argc, char** argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: http_client PORT KEY BODIES ROUNDS\n");
    return 2;
  }
  struct request* requests = calloc(QUESTIONS_MAX, sizeof *requests);
  size_t count = 0, room = 0;
  char* line = NULL;
  FILE* file = fopen(argv[3], "r");
  if (file == NULL) fail(argv[3]);
  for (ssize_t n; count < QUESTIONS_MAX && (n = getline(&line, &room, file)) > 0; ++count) {
    line[n - 1] = 0;
    char* body = strchr(line, '\t');
    if (body == NULL) return fprintf(stderr, "a line without a tab\n"), 2;
    *body++ = 0;
    const int size = asprintf(&requests[count].bytes,
                              "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ApiKey %s\r\n"
                              "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                              line, argv[2], strlen(body), body);
    requests[count].size = (size_t)size;
  }
  fclose(file);
  const int rounds = atoi(argv[4]), socket_fd = connected(atoi(argv[1]));
  char* answer = malloc(ANSWER_MAX);
  double* times = calloc(count * (size_t)rounds, sizeof *times);
  double* sizes = calloc(count, sizeof *sizes);
  double spent = 0;
  size_t timed = 0;
  for (int round = -1; round < rounds; ++round) {
    const double began = now_us();
    for (size_t i = 0; i < count; ++i) {
      const double start = now_us();
      sizes[i] = (double)exchange(socket_fd, &requests[i], answer);
      if (round >= 0) times[timed++] = now_us() - start;
    }
    if (round >= 0) spent += now_us() - began;
  }
  qsort(times, timed, sizeof *times, by_value);
  qsort(sizes, count, sizeof *sizes, by_value);
  printf("p50 %.0f us, p99 %.0f us, %.0f a second, an answer has %.0f bytes\n", times[timed / 2],
         times[timed * 99 / 100], (double)timed / spent * 1e6, sizes[count / 2]);
  return 0;
}
