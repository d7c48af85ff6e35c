import { type Check, recordsTogether, textLookup } from '../check.ts';
import { type TlsRptResult, tlsRptResult } from './result.ts';

export const tlsRpt: Check<TlsRptResult, typeof tlsRptResult> = {
  title: 'TLS-RPT',
  description: 'SMTP TLS Reporting (RFC 8460)',
  result: tlsRptResult,
  lookup: textLookup((name, domain) => name === `_smtp._tls.${domain}`),
  records: (result) => recordsTogether(result.record, result),
};
