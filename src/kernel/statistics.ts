import { type Statistics, zeroStatistics } from '../model/statistics.ts';
import type { AttributeReader } from '../netlink/attribute-reader.ts';
import {
  IPVS_STATS_ATTR_CONNS,
  IPVS_STATS_ATTR_CPS,
  IPVS_STATS_ATTR_INBPS,
  IPVS_STATS_ATTR_INBYTES,
  IPVS_STATS_ATTR_INPKTS,
  IPVS_STATS_ATTR_INPPS,
  IPVS_STATS_ATTR_OUTBPS,
  IPVS_STATS_ATTR_OUTBYTES,
  IPVS_STATS_ATTR_OUTPKTS,
  IPVS_STATS_ATTR_OUTPPS,
} from './ipvs-protocol.ts';

const names: Readonly<Record<number, keyof Statistics>> = {
  [IPVS_STATS_ATTR_CONNS]: 'connections',
  [IPVS_STATS_ATTR_INPKTS]: 'inPackets',
  [IPVS_STATS_ATTR_OUTPKTS]: 'outPackets',
  [IPVS_STATS_ATTR_INBYTES]: 'inBytes',
  [IPVS_STATS_ATTR_OUTBYTES]: 'outBytes',
  [IPVS_STATS_ATTR_CPS]: 'connectionsPerSecond',
  [IPVS_STATS_ATTR_INPPS]: 'inPacketsPerSecond',
  [IPVS_STATS_ATTR_OUTPPS]: 'outPacketsPerSecond',
  [IPVS_STATS_ATTR_INBPS]: 'inBytesPerSecond',
  [IPVS_STATS_ATTR_OUTBPS]: 'outBytesPerSecond',
};

/** Reads an `IPVS_*_ATTR_STATS64` nest. @param operation - what is being read, for the error @throws {NetlinkError} */
export function readStatistics(attributes: AttributeReader, operation: string): Statistics {
  const statistics: { -readonly [Name in keyof Statistics]: bigint } = { ...zeroStatistics };
  while (attributes.next()) {
    const name = names[attributes.type];
    if (name !== undefined) statistics[name] = attributes.u64();
  }
  attributes.finish(operation);
  return statistics;
}
