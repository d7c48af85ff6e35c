import * as z from 'zod/mini';
import { count, described, flagOrNull, list, text, textOrNull, timestamp } from '../../protocol/schema.ts';
import { noText, outcome } from '../result-fields.ts';
import { checkState } from '../state.ts';

/** Whether the domain accepts mail, seen from outside (interface specification). */
export const emailReceptionCapability = described(
  z.enum(['active', 'null-mx', 'no-mail', 'unreachable', 'relay-denied']),
  '`active`: at least one MX host accepts mail for the domain. `null-mx`: null MX (RFC 7505). `no-mail`: no MX ' +
    'records. `unreachable`: no MX host is reachable. `relay-denied`: the MX hosts reject mail for the domain',
);

export type EmailReceptionCapability = z.infer<typeof emailReceptionCapability>;

const priority = described(count, 'Preference of the MX record; hosts with the lowest are tried first', 10);

export const mxRecord = z.object({
  priority,
  exchange: described(text, 'The name of the MX host', 'mx.example.org'),
});

export const mxHost = z.object({
  hostname: described(text, 'The name of the MX host', 'mx.example.org'),
  priority,
  ip: described(textOrNull, 'The address that was connected to; `null` without one', '198.51.100.25'),
  tlsSupported: described(
    flagOrNull,
    'Whether STARTTLS established a TLS session; `null` if the host could not be checked',
    true,
  ),
  starttlsSupported: described(
    flagOrNull,
    'Whether the host offers STARTTLS; `null` if it could not be checked',
    true,
  ),
  certificateExpiry: described(
    z.nullable(timestamp),
    'When the certificate of the host expires; `null` without TLS',
    '2026-12-31T23:59:59.000Z',
  ),
  certificateIssuer: described(
    z.exactOptional(textOrNull),
    'Organization of the CA that issued the certificate, or its common name; `null` without TLS, or if the name has neither',
    'Example CA',
  ),
  tlsVersion: described(
    noText,
    'The TLS version of the session, such as `TLSv1.3`; `null` without one, or if the host could not be checked',
    'TLSv1.3',
  ),
  state: checkState,
});

export type MxHost = z.infer<typeof mxHost>;

export const mxResult = z.object({
  records: described(z._default(list(mxRecord), []), 'The MX records'),
  hosts: described(z._default(list(mxHost), []), 'The MX hosts'),
  tlsSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host establishes TLS; `null` if unknown, for example because a host could not be checked',
    true,
  ),
  daneSupported: described(
    z._default(flagOrNull, null),
    'Whether every MX host has a usable TLSA record in an authenticated answer (RFC 7672); `null` if unknown',
    false,
  ),
  emailReceptionCapability: described(
    z._default(z.nullable(emailReceptionCapability), null),
    'Whether the domain accepts mail, seen from outside; `null` if unknown',
  ),
  ...outcome,
});

export type MxResult = z.infer<typeof mxResult>;
