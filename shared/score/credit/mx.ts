/** Partial credit for MX and DANE: hosts that take the mail of the domain, and how mail to them is protected. */
import type { MxResult } from '../../checks/results.ts';
import { hasErrors } from '../../protocol/findings/finding.ts';
import { always, type CreditRow } from './row.ts';

const PUBLISH_MX =
  'Publish MX records for the hosts that take the mail of the domain, or change its usage type.';

/** Hosts that take mail. Where port 25 could not be dialled, the records alone are what is known, and they count. */
export const mxHosts: readonly CreditRow[] = [
  {
    id: 'unknown',
    when: ({ mx }) => !recordsKnown(mx),
    share: null,
    reason: 'The MX records could not be asked for.',
    todo: null,
  },
  {
    id: 'null-mx',
    when: ({ mx }) => mx.emailReceptionCapability === 'null-mx',
    share: 0,
    reason: 'A null MX says that the domain takes no mail, not even bounces.',
    todo: PUBLISH_MX,
  },
  {
    id: 'absent',
    when: ({ mx }) => mx.records.length === 0,
    share: 0,
    reason: 'There are no MX records.',
    todo: PUBLISH_MX,
  },
  {
    id: 'unreachable',
    when: ({ mx }) => mx.emailReceptionCapability === 'unreachable',
    share: 0,
    reason: 'No MX host can be reached, so mail does not arrive.',
    todo: 'Correct the MX records, or make the hosts they name answer on port 25.',
  },
  {
    id: 'relay-denied',
    when: ({ mx }) => mx.emailReceptionCapability === 'relay-denied',
    share: 0,
    reason: 'The MX hosts refuse mail for the domain.',
    todo: 'Have the MX hosts accept mail for the domain.',
  },
  {
    id: 'faulty',
    when: ({ mx }) => hasErrors(mx.findings),
    share: 1 / 2,
    reason: 'There are MX records, with errors that cost mail.',
    todo: 'Correct the errors of the MX check.',
  },
  { id: 'valid', when: always, share: 1, reason: 'The MX records are valid.', todo: null },
];

/** TLS at the MX hosts, by the share of hosts that were asked: senders use whichever host answers. */
export const mxTls: readonly CreditRow[] = [
  noHost('TLS'),
  {
    id: 'unknown',
    when: ({ mx }) => mx.tlsSupported === null,
    share: null,
    reason: 'Whether the MX hosts set up TLS could not be asked.',
    todo: null,
  },
  {
    id: 'every-host',
    when: ({ mx }) => mx.tlsSupported === true,
    share: 1,
    reason: 'Every MX host sets up TLS.',
    todo: null,
  },
  {
    id: 'some-hosts',
    when: ({ mx }) => mx.hosts.some((host) => host.tlsSupported === true),
    share: ({ mx }) => {
      const asked = mx.hosts.filter((host) => host.tlsSupported !== null);
      return asked.filter((host) => host.tlsSupported === true).length / asked.length;
    },
    reason: 'Only some of the MX hosts set up TLS.',
    todo: 'Switch STARTTLS on at every MX host.',
  },
  {
    id: 'no-tls',
    when: always,
    share: 0,
    reason: 'The MX hosts do not set up TLS, so mail to them travels in the clear.',
    todo: 'Switch STARTTLS on at every MX host.',
  },
];

/** A parked domain says that it takes no mail (RFC 7505); silence leaves senders trying its address. */
export const nullMx: readonly CreditRow[] = [
  {
    id: 'unknown',
    when: ({ mx }) => !recordsKnown(mx),
    share: null,
    reason: 'The MX records could not be asked for.',
    todo: null,
  },
  {
    id: 'null-mx',
    when: ({ mx }) => mx.emailReceptionCapability === 'null-mx',
    share: 1,
    reason: 'A null MX says that the domain takes no mail.',
    todo: null,
  },
  {
    id: 'absent',
    when: ({ mx }) => mx.records.length === 0,
    share: 1 / 2,
    reason: 'Without MX records senders still try the address of the domain (RFC 5321 section 5.1).',
    todo: 'Publish a null MX, "MX 0 ." (RFC 7505).',
  },
  {
    id: 'active',
    when: always,
    share: 0,
    reason: 'MX records invite mail to a domain that is parked.',
    todo: 'Replace the MX records by a null MX, "MX 0 ." (RFC 7505), or change the usage type of the domain.',
  },
];

export const dane: readonly CreditRow[] = [
  noHost('DANE'),
  {
    id: 'unknown',
    when: ({ mx }) => mx.daneSupported === null,
    share: null,
    reason: 'The TLSA records of the MX hosts could not be asked for.',
    todo: null,
  },
  {
    id: 'supported',
    when: ({ mx }) => mx.daneSupported === true,
    share: 1,
    reason: 'Every MX host has usable TLSA records in a signed zone.',
    todo: null,
  },
  {
    id: 'absent',
    when: always,
    share: 0,
    reason: 'Not every MX host has usable TLSA records in a signed zone.',
    todo: 'Sign the zones of the MX hosts and publish TLSA records at _25._tcp.<host> (RFC 7672).',
  },
];

/** That there is no MX host is known even where a check of hosts had none to ask and says null. */
function noHost(what: string): CreditRow {
  return {
    id: 'no-host',
    when: ({ mx }) =>
      mx.emailReceptionCapability === 'null-mx' || (recordsKnown(mx) && mx.records.length === 0),
    share: 0,
    reason: `There is no MX host that ${what} could protect.`,
    todo: PUBLISH_MX,
  };
}

function recordsKnown(mx: MxResult): boolean {
  return mx.state !== 'unknown' || mx.records.length > 0;
}
