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

/** Nothing counted yet. */
export const zeroStatistics: Statistics = {
  connections: 0n,
  inPackets: 0n,
  outPackets: 0n,
  inBytes: 0n,
  outBytes: 0n,
  connectionsPerSecond: 0n,
  inPacketsPerSecond: 0n,
  outPacketsPerSecond: 0n,
  inBytesPerSecond: 0n,
  outBytesPerSecond: 0n,
};
