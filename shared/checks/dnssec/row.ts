import type { Check } from '../check.ts';
import { dsText, NAME_SERVER } from '../records.ts';
import type { DnssecResult } from './result.ts';

export const dnssec: Check<DnssecResult> = {
  title: 'DNSSEC',
  description: 'DNS Security Extensions (RFC 9364)',
  records: ({ dsRecords }) => dsRecords.map(dsText),
  context: ({ nameServers }) => nameServers?.map((host) => `${NAME_SERVER}${host}`),
};
