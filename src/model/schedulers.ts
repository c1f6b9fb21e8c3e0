/** Schedulers of the kernel, as of Linux 6.12 (net/netfilter/ipvs/Kconfig); others may come as modules. */
export const schedulers: ReadonlySet<string> = new Set(
  'none rr wrr lc wlc lblc lblcr dh sh mh sed nq fo ovf twos'.split(' '),
);
