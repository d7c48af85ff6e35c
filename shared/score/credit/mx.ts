/** Partial credit for MX and DANE: hosts that accept mail for the domain, and how mail to them is protected. */
import type { MxResult } from '../../checks/mx/result.ts';
import { hasErrors } from '../../protocol/findings/finding.ts';
import { always, type CreditRow } from './row.ts';

const PUBLISH_MX =
  'Publish MX records for the hosts that receive mail for the domain, or change its usage type.';

const lookupFailed: CreditRow = {
  id: 'unknown',
  when: ({ mx }) => !recordsKnown(mx),
  fraction: null,
  reason: 'The MX lookup failed.',
};

/** Hosts that accept mail. If no connection to port 25 was possible, the records alone count. */
export const mxHosts: readonly CreditRow[] = [
  lookupFailed,
  {
    id: 'null-mx',
    when: ({ mx }) => mx.emailReceptionCapability === 'null-mx',
    fraction: 0,
    reason: 'The null MX declares that the domain accepts no mail, not even bounces.',
    todo: PUBLISH_MX,
  },
  {
    id: 'absent',
    when: ({ mx }) => mx.records.length === 0,
    fraction: 0,
    reason: 'There are no MX records.',
    todo: PUBLISH_MX,
  },
  {
    id: 'unreachable',
    when: ({ mx }) => mx.emailReceptionCapability === 'unreachable',
    fraction: 0,
    reason: 'No MX host is reachable, so mail is not delivered.',
    todo: 'Correct the MX records, or make the MX hosts accept connections on port 25.',
  },
  {
    id: 'relay-denied',
    when: ({ mx }) => mx.emailReceptionCapability === 'relay-denied',
    fraction: 0,
    reason: 'The MX hosts reject mail for the domain.',
    todo: 'Configure the MX hosts to accept mail for the domain.',
  },
  {
    id: 'faulty',
    when: ({ mx }) => hasErrors(mx.findings),
    fraction: 1 / 2,
    reason: 'The MX records have errors that can lose mail.',
    todo: 'Fix the errors listed in the MX check.',
  },
  { id: 'valid', when: always, fraction: 1, reason: 'The MX records are valid.' },
];

/** TLS on the MX hosts, by the share of the checked hosts: senders use whichever host answers. */
export const mxTls: readonly CreditRow[] = [
  noHost('TLS'),
  {
    id: 'unknown',
    when: ({ mx }) => mx.tlsSupported === null,
    fraction: null,
    reason: 'Not all MX hosts could be checked for TLS support.',
  },
  {
    id: 'every-host',
    when: ({ mx }) => mx.tlsSupported === true,
    fraction: 1,
    reason: 'Every MX host supports TLS.',
  },
  {
    id: 'some-hosts',
    when: ({ mx }) => mx.hosts.some((host) => host.tlsSupported === true),
    fraction: ({ mx }) => {
      const asked = mx.hosts.filter((host) => host.tlsSupported !== null);
      return asked.filter((host) => host.tlsSupported === true).length / asked.length;
    },
    reason: 'Only some of the MX hosts support TLS.',
    todo: 'Enable STARTTLS on every MX host.',
  },
  {
    id: 'no-tls',
    when: always,
    fraction: 0,
    reason: 'The MX hosts do not support TLS, so senders deliver to them unencrypted.',
    todo: 'Enable STARTTLS on every MX host.',
  },
];

/** A parked domain declares that it accepts no mail (RFC 7505). Without MX records, senders try its address. */
export const nullMx: readonly CreditRow[] = [
  lookupFailed,
  {
    id: 'null-mx',
    when: ({ mx }) => mx.emailReceptionCapability === 'null-mx',
    fraction: 1,
    reason: 'The null MX declares that the domain accepts no mail.',
  },
  {
    id: 'absent',
    when: ({ mx }) => mx.records.length === 0,
    fraction: 1 / 2,
    reason: 'There are no MX records, so senders try the address of the domain (RFC 5321 section 5.1).',
    todo: 'Publish a null MX, "MX 0 ." (RFC 7505).',
  },
  {
    id: 'active',
    when: always,
    fraction: 0,
    reason: 'The domain is parked but has MX records, so senders deliver mail to it.',
    todo: 'Replace the MX records with a null MX, "MX 0 ." (RFC 7505), or change the usage type of the domain.',
  },
];

export const dane: readonly CreditRow[] = [
  noHost('DANE'),
  {
    id: 'unknown',
    when: ({ mx }) => mx.daneSupported === null,
    fraction: null,
    reason: 'Not all MX hosts could be checked for DANE support.',
  },
  {
    id: 'supported',
    when: ({ mx }) => mx.daneSupported === true,
    fraction: 1,
    reason: 'Every MX host has usable TLSA records in a DNSSEC-signed zone.',
  },
  {
    id: 'absent',
    when: always,
    fraction: 0,
    reason: 'Not every MX host has usable TLSA records in a DNSSEC-signed zone.',
    todo: 'Sign the zones of the MX hosts with DNSSEC, and publish TLSA records at _25._tcp.<host> (RFC 7672).',
  },
];

/** It is known that there is no MX host, even if a check of hosts had none to probe and returned null. */
function noHost(what: string): CreditRow {
  return {
    id: 'no-host',
    when: ({ mx }) =>
      mx.emailReceptionCapability === 'null-mx' || (recordsKnown(mx) && mx.records.length === 0),
    fraction: 0,
    reason: `There is no MX host that ${what} could protect.`,
    todo: PUBLISH_MX,
  };
}

function recordsKnown(mx: MxResult): boolean {
  return mx.state !== 'unknown' || mx.records.length > 0;
}
