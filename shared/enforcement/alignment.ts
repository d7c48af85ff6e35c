/** Alignment of the domains in reported messages with their From domain. */
import type { AlignmentMode } from '../protocol/dmarc/record.ts';
import { organizationalDomain } from '../protocol/domain-name.ts';
import type { RecordSummary } from '../reports/dmarc/summary/shapes.ts';
import { memoized } from '../reports/values.ts';

/**
 * Alignment under another mode than the reporter's. Its own result is kept where the modes are equal, and otherwise the
 * stricter mode never passes more (RFC 9989 section 4.4; organizational domains by the public suffix list).
 */
export function alignments() {
  const organizational = memoized(organizationalDomain);
  const isAligned = (name: string, headerFrom: string, mode: AlignmentMode) =>
    name === headerFrom || (mode === 'r' && organizational(name) === organizational(headerFrom));
  const underMode = (
    reportedPass: boolean,
    domains: readonly string[],
    headerFrom: string | null,
    { from, to }: { from: AlignmentMode; to: AlignmentMode },
  ): boolean => {
    if (from === to || headerFrom === null) return reportedPass;
    const aligned = domains.some((name) => isAligned(name, headerFrom, to));
    return to === 'r' ? reportedPass || aligned : reportedPass && aligned;
  };

  return {
    dkim: ({ dkim, dkimDomains, headerFrom }: RecordSummary, from: AlignmentMode, to: AlignmentMode) =>
      underMode(dkim === 'pass', dkimDomains, headerFrom, { from, to }),

    /** `passes`: the SPF result of another record; null keeps the reported result. */
    spf(record: RecordSummary, from: AlignmentMode, to: AlignmentMode, passes: boolean | null): boolean {
      const { spf, spfResult, mailFrom, headerFrom } = record;
      if (passes !== null) {
        return passes && mailFrom !== null && headerFrom !== null && isAligned(mailFrom, headerFrom, to);
      }
      const domains = mailFrom !== null && spfResult === 'pass' ? [mailFrom] : [];
      return underMode(spf === 'pass', domains, headerFrom, { from, to });
    },

    /** Both results under a policy, from the results of the mechanisms alone. */
    evaluated: (record: RecordSummary, { adkim, aspf }: { adkim: AlignmentMode; aspf: AlignmentMode }) => {
      const { headerFrom, dkimDomains, mailFrom, spfResult } = record;
      if (headerFrom === null) return { dkim: false, spf: false };
      return {
        dkim: dkimDomains.some((name) => isAligned(name, headerFrom, adkim)),
        spf: mailFrom !== null && spfResult === 'pass' && isAligned(mailFrom, headerFrom, aspf),
      };
    },
  };
}
