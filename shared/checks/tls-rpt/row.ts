import { type Check, recordsTogether } from '../check.ts';
import type { TlsRptResult } from './result.ts';

export const tlsRpt: Check<TlsRptResult> = {
  title: 'TLS-RPT',
  description: 'SMTP TLS Reporting (RFC 8460)',
  records: (result) => recordsTogether(result.record, result),
};
