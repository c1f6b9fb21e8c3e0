/** Counters of a virtual service or destination (`IPVS_STATS_ATTR_*`, 64-bit). The kernel refreshes them every 2 s. */
export interface Statistics {
  readonly connections: bigint;
  readonly inPackets: bigint;
  readonly outPackets: bigint;
  readonly inBytes: bigint;
  readonly outBytes: bigint;
  readonly connectionsPerSecond: bigint;
  readonly inPacketsPerSecond: bigint;
  readonly outPacketsPerSecond: bigint;
  readonly inBytesPerSecond: bigint;
  readonly outBytesPerSecond: bigint;
}
