import * as z from 'zod/mini';
import { described, several } from '../../protocol/schema.ts';
import { noTexts, outcome, record, valid, version } from '../result-fields.ts';

export const tlsRptResult = z.object({
  record: record('TLS-RPT', 'v=TLSRPTv1; rua=mailto:tls@example.org'),
  records: several,
  version: version('TLSRPTv1'),
  rua: described(noTexts, 'Where TLS reports are sent', ['mailto:tls@example.org']),
  valid,
  ...outcome,
});

export type TlsRptResult = z.infer<typeof tlsRptResult>;
