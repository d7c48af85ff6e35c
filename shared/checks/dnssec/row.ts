import type { Check } from '../check.ts';
import { dsText, NAME_SERVER } from '../records.ts';
import { type DnssecResult, dnssecResult } from './result.ts';

export const dnssec: Check<DnssecResult, typeof dnssecResult> = {
  title: 'DNSSEC',
  description: 'DNS Security Extensions (RFC 9364)',
  result: dnssecResult,
  lookup: {
    type: 'DS',
    isAt: (name, domain) => name === domain,
    text: dsText,
  },
  records: ({ dsRecords }) => dsRecords.map(dsText),
  context: ({ nameServers }) => nameServers?.map((host) => `${NAME_SERVER}${host}`),
};
