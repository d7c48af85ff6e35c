import { readRecord } from '../../network/dns-rdata.ts';
import type { RecordData, RecordSet, RecordType } from '../../protocol/dns.ts';
import { MalformedMessage } from '../../protocol/wire-name.ts';

/** The data of the records of one name and type among record sets; undefined if there is no such set, or not all can be read. */
export function recordsIn<T extends RecordType>(
  sets: readonly RecordSet[],
  name: string,
  type: T,
): readonly RecordData[T][] | undefined {
  const set = sets.find((one) => one.name === name && one.type === type);
  try {
    return set?.rdata.map((rdata) => readRecord(type, rdata));
  } catch (error) {
    if (error instanceof MalformedMessage) return undefined;
    throw error;
  }
}
