/*
 * limit: what the kernel's IPVS interface allows at best. The same requests as ipvsd's, from C, with nothing around them.
 * Also the stop-watch for reloads, as it notices a change without the start of a program. Needs gcc, for benchmarks only.
 *
 *   limit apply SERVICES SERVERS [BYTES]     adds the table of bench/table.ts, in datagrams of BYTES (65536)
 *   limit dump                               reads everything back
 *   limit weight PID SERVICE SERVER SERVERS  sends SIGHUP to PID; until that destination has another weight
 *   limit settle PID...                      sends SIGHUP to the first; until none of them has used the CPU for 0.4 s
 *   limit listen PORT                        accepts connections and closes them
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/ip_vs.h>
#include <linux/netlink.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int fd, family;
static uint32_t sequence = 1;
static long calls;
static char out[1 << 20], in[1 << 16];
static size_t used;
static struct nlmsghdr *message;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec / 1e9;
}

static void fail(const char *what) {
  perror(what);
  exit(1);
}

static void put(uint16_t type, const void *data, uint16_t length) {
  struct nlattr *a = (void *)(out + used);
  *a = (struct nlattr){.nla_type = type, .nla_len = NLA_HDRLEN + length};
  memcpy(a + 1, data, length);
  memset((char *)(a + 1) + length, 0, NLA_ALIGN(length) - length);
  used += NLA_ALIGN(a->nla_len);
}
static void put16(uint16_t type, uint16_t value) { put(type, &value, 2); }
static void put32(uint16_t type, uint32_t value) { put(type, &value, 4); }
static void putAddress(uint16_t type, uint32_t address) { put(type, (uint32_t[4]){htonl(address)}, 16); }

static size_t beginNest(uint16_t type) {
  size_t start = used;
  put(type | NLA_F_NESTED, "", 0);
  return start;
}
static void endNest(size_t start) { ((struct nlattr *)(out + start))->nla_len = used - start; }

static void begin(uint8_t command, uint16_t flags) {
  message = (void *)(out + used);
  *message = (struct nlmsghdr){.nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST | flags, .nlmsg_seq = sequence++};
  *(struct genlmsghdr *)NLMSG_DATA(message) = (struct genlmsghdr){.cmd = command, .version = 1};
  used += NLMSG_LENGTH(GENL_HDRLEN);
}
static void end(void) { message->nlmsg_len = out + used - (char *)message; }

static void transmit(void) {
  if (send(fd, out, used, 0) < 0) fail("send");
  calls++;
  used = 0;
}

/* Takes answers until the acknowledgement of `last`, or until the end of a dump. */
static void receive(uint32_t last, void (*take)(struct nlmsghdr *)) {
  for (;;) {
    int left = recv(fd, in, sizeof in, 0);
    if (left < 0) fail("recv");
    calls++;
    for (struct nlmsghdr *h = (void *)in; NLMSG_OK(h, left); h = NLMSG_NEXT(h, left)) {
      if (h->nlmsg_type == NLMSG_DONE) return;
      if (h->nlmsg_type == NLMSG_ERROR) {
        int error = -*(int *)NLMSG_DATA(h);
        if (error) fprintf(stderr, "limit: request %u: %s\n", h->nlmsg_seq, strerror(error)), exit(1);
        if (h->nlmsg_seq == last) return;
      } else if (take) take(h);
    }
  }
}

static struct nlattr *find(void *start, int length, int type) {
  for (char *p = start; p + NLA_HDRLEN <= (char *)start + length; p += NLA_ALIGN(((struct nlattr *)p)->nla_len))
    if ((((struct nlattr *)p)->nla_type & NLA_TYPE_MASK) == type) return (void *)p;
  return NULL;
}
static void *inside(struct nlmsghdr *h, int outer, int type) {
  struct nlattr *nest = find((char *)NLMSG_DATA(h) + GENL_HDRLEN, NLMSG_PAYLOAD(h, GENL_HDRLEN), outer);
  return find(nest + 1, nest->nla_len - NLA_HDRLEN, type) + 1;
}

static void takeFamily(struct nlmsghdr *h) {
  void *a = find((char *)NLMSG_DATA(h) + GENL_HDRLEN, NLMSG_PAYLOAD(h, GENL_HDRLEN), CTRL_ATTR_FAMILY_ID);
  family = *(uint16_t *)((char *)a + NLA_HDRLEN);
}
static void openSocket(void) {
  fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
  int size = 8 << 20, on = 1;
  setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof size);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof on);
  family = GENL_ID_CTRL;
  begin(CTRL_CMD_GETFAMILY, NLM_F_ACK);
  put(CTRL_ATTR_FAMILY_NAME, "IPVS", 5);
  end();
  transmit();
  receive(sequence - 1, takeFamily);
  calls = 0;
}

static uint32_t service(int s) { return (10u << 24) + s + 1; }
static uint32_t server(int s, int d, int servers) { return (10u << 24) + (128 << 16) + s * servers + d + 1; }

static void putService(uint32_t address) {
  put16(IPVS_SVC_ATTR_AF, AF_INET);
  put16(IPVS_SVC_ATTR_PROTOCOL, IPPROTO_TCP);
  putAddress(IPVS_SVC_ATTR_ADDR, address);
  put16(IPVS_SVC_ATTR_PORT, htons(80));
}
static void addService(int s) {
  begin(IPVS_CMD_NEW_SERVICE, 0);
  size_t nest = beginNest(IPVS_CMD_ATTR_SERVICE);
  putService(service(s));
  put(IPVS_SVC_ATTR_SCHED_NAME, "wrr", 4);
  put(IPVS_SVC_ATTR_FLAGS, &(struct ip_vs_flags){0, ~0u}, sizeof(struct ip_vs_flags));
  put32(IPVS_SVC_ATTR_TIMEOUT, 0);
  put32(IPVS_SVC_ATTR_NETMASK, ~0u);
  endNest(nest);
  end();
}
static void addServer(int s, int d, int servers) {
  begin(IPVS_CMD_NEW_DEST, 0);
  size_t nest = beginNest(IPVS_CMD_ATTR_SERVICE);
  putService(service(s));
  endNest(nest);
  nest = beginNest(IPVS_CMD_ATTR_DEST);
  putAddress(IPVS_DEST_ATTR_ADDR, server(s, d, servers));
  put16(IPVS_DEST_ATTR_PORT, htons(80));
  put32(IPVS_DEST_ATTR_FWD_METHOD, IP_VS_CONN_F_MASQ);
  put32(IPVS_DEST_ATTR_WEIGHT, 1);
  put32(IPVS_DEST_ATTR_U_THRESH, 0);
  put32(IPVS_DEST_ATTR_L_THRESH, 0);
  put16(IPVS_DEST_ATTR_ADDR_FAMILY, AF_INET);
  endNest(nest);
  end();
}

static void flush(void) {
  message->nlmsg_flags |= NLM_F_ACK; /* the kernel answers the others only when it refuses them */
  transmit();
  receive(sequence - 1, NULL);
}
static void apply(int services, int servers, size_t bytes) {
  double start = now();
  for (int s = 0; s < services; s++)
    for (int d = -1; d < servers; d++) {
      if (d < 0) addService(s);
      else addServer(s, d, servers);
      if (used >= bytes) flush();
    }
  if (used) flush();
  printf("{\"seconds\":%f,\"calls\":%ld,\"rows\":%ld}\n", now() - start, calls, (long)services * (servers + 1));
}

static uint32_t *addresses;
static long services, servers;
static void takeService(struct nlmsghdr *h) {
  if ((services & (services - 1)) == 0) addresses = realloc(addresses, (services ? 2 * services : 1) * sizeof *addresses);
  addresses[services++] = ntohl(*(uint32_t *)inside(h, IPVS_CMD_ATTR_SERVICE, IPVS_SVC_ATTR_ADDR));
}
static void takeServer(struct nlmsghdr *h) { servers += h->nlmsg_len > 0; }
static void readServers(uint32_t address, void (*take)(struct nlmsghdr *)) {
  begin(IPVS_CMD_GET_DEST, NLM_F_DUMP);
  size_t nest = beginNest(IPVS_CMD_ATTR_SERVICE);
  putService(address);
  endNest(nest);
  end();
  transmit();
  receive(0, take);
}
static void dump(void) {
  double start = now();
  begin(IPVS_CMD_GET_SERVICE, NLM_F_DUMP);
  end();
  transmit();
  receive(0, takeService);
  for (long i = 0; i < services; i++) readServers(addresses[i], takeServer);
  printf("{\"seconds\":%f,\"calls\":%ld,\"services\":%ld,\"servers\":%ld}\n", now() - start, calls, services, servers);
}

static uint32_t wanted;
static int weight;
static void takeWeight(struct nlmsghdr *h) {
  if (*(uint32_t *)inside(h, IPVS_CMD_ATTR_DEST, IPVS_DEST_ATTR_ADDR) == wanted)
    weight = *(int *)inside(h, IPVS_CMD_ATTR_DEST, IPVS_DEST_ATTR_WEIGHT);
}
static int weightOf(uint32_t address) {
  weight = -1;
  readServers(address, takeWeight);
  return weight;
}
static void awaitWeight(int pid, int s, int d, int all) {
  wanted = htonl(server(s, d, all));
  int before = weightOf(service(s));
  double start = now();
  kill(pid, SIGHUP);
  while (weightOf(service(s)) == before) usleep(2000);
  printf("{\"seconds\":%f}\n", now() - start);
}

/* CPU time of all threads of a process, in seconds. */
static double cpu(int pid) {
  char path[300];
  double sum = 0;
  snprintf(path, sizeof path, "/proc/%d/task", pid);
  DIR *tasks = opendir(path);
  for (struct dirent *e; tasks && (e = readdir(tasks));) {
    snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", pid, e->d_name);
    FILE *f = fopen(path, "r");
    double ns = 0;
    if (f && fscanf(f, "%lf", &ns) == 1) sum += ns / 1e9;
    if (f) fclose(f);
  }
  if (tasks) closedir(tasks);
  return sum;
}
static double cpuOf(int count, char **pids) {
  double sum = 0;
  for (int i = 0; i < count; i++) sum += cpu(atoi(pids[i]));
  return sum;
}
static void settle(int count, char **pids) {
  double start = now(), last = cpuOf(count, pids), busy = start, t;
  kill(atoi(pids[0]), SIGHUP);
  while ((t = now()) - busy < 0.4) {
    usleep(10000);
    double used_ = cpuOf(count, pids);
    if (used_ - last > 0.001) busy = now(); /* less than a tenth of the time is no work */
    last = used_;
  }
  printf("{\"seconds\":%f}\n", busy - start);
}

static void listenOn(int port) {
  int on = 1, s = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (bind(s, (void *)&a, sizeof a) || listen(s, 4096)) fail("listen");
  for (;;) close(accept(s, NULL, NULL));
}

int main(int count, char **words) {
  const char *command = count > 1 ? words[1] : "";
  int n[4] = {0};
  for (int i = 2; i < count && i < 6; i++) n[i - 2] = atoi(words[i]);
  if (!strcmp(command, "settle")) settle(count - 2, words + 2);
  else if (!strcmp(command, "listen")) listenOn(n[0]);
  else {
    openSocket();
    if (!strcmp(command, "apply")) apply(n[0], n[1], n[2] ? n[2] : 65536);
    else if (!strcmp(command, "dump")) dump();
    else if (!strcmp(command, "weight")) awaitWeight(n[0], n[1], n[2], n[3]);
    else return 2;
  }
  return 0;
}
