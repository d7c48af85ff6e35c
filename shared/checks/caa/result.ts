import * as z from 'zod/mini';
import { described, flagOrNull, list, text, textOrNull } from '../../protocol/schema.ts';
import { noText, noTexts, outcome } from '../result-fields.ts';

export const judgedCertificate = z.object({
  host: described(text, 'The host that serves the certificate', 'mx.example.org'),
  issuer: described(textOrNull, 'The CA that issued it', "Let's Encrypt"),
  recordsAt: described(
    textOrNull,
    'Where the CAA records for the host are; `null` without any',
    'example.org',
  ),
  permitted: described(
    flagOrNull,
    'Whether these records permit the CA to issue it again; `null` if the CA is not known here, or a lookup failed',
    true,
  ),
});

export type JudgedCertificate = z.infer<typeof judgedCertificate>;

export const caaResult = z.object({
  records: described(noTexts, 'The CAA records that apply to the domain', ['0 issue "letsencrypt.org"']),
  recordsAt: described(
    noText,
    'Where they are: at the domain or at a name above it; `null` without any',
    'example.org',
  ),
  certificates: described(
    z._default(list(judgedCertificate), []),
    'The trusted certificates that mail servers and web servers of the domain serve',
  ),
  ...outcome,
});

export type CaaResult = z.infer<typeof caaResult>;
