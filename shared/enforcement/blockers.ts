/** The senders that stand between a domain and p=reject: mail of theirs would be lost. */
import { formatNumber, pluralize } from '../protocol/quantity.ts';
import { dayInWords } from '../protocol/time.ts';
import type { Measures, SenderMeasures } from './measures.ts';
import type { PublishedNow } from './published-records.ts';
import { isOtherCustomers } from './sender-fields.ts';
import { failingSeasonal, judgedShares, lowestOf, signOf, undecidedSenders } from './sender-rules.ts';
import type { Enforcement } from './shapes.ts';
import { thresholds } from './thresholds.ts';

type Blocker = Enforcement['blockers'][number];

/** Most messages first. */
export function blockersOf(measures: Measures, published: PublishedNow): readonly Blocker[] {
  const limit = thresholds.reject;
  const failing = measures.senders.flatMap((sender) => {
    const passes = lowestOf(judgedShares([sender], 'approvedPassed'));
    const signs = lowestOf(judgedShares([sender], 'approvedDkim'));
    if (passes !== undefined && passes.share < limit.senderShare) {
      const { approved, approvedPassed } = passes.sums;
      const failed = approved - approvedPassed;
      return [
        {
          ...about(sender, failed),
          reason: `${formatNumber(failed)} of ${formatNumber(approved)} messages fail DMARC`,
          fix: FIX_FAILING,
        },
      ];
    }
    if (signs === undefined || signs.share >= limit.dkimShare) return [];
    const reason = `${signs.share} % of its messages have an aligned DKIM signature; the others rely on SPF, which fails when mail is forwarded`;
    return [{ ...about(sender, signs.sums.approved - signs.sums.approvedDkim), reason, fix: FIX_UNSIGNED }];
  });
  const undecided = undecidedSenders(measures, published).map((sender) => {
    const { undecidedFailed } = sender.all;
    const days = sender.recentDays.size;
    const regular = days >= REGULAR_DAYS ? `, and it sent on ${days} of the last 60 days` : '';
    return {
      ...about(sender, undecidedFailed),
      reason: `${formatNumber(undecidedFailed)} messages without your decision fail DMARC, and look legitimate: ${signOf(sender, published)}${regular}`,
      fix: fixOfUndecided(sender),
    };
  });
  const seasonal = failingSeasonal(measures, published, limit).map(({ sender, period }) => ({
    ...about(sender, period.failed),
    reason: `${formatNumber(period.failed)} of ${pluralize(period.messages, 'message')} failed DMARC when it was last active, until ${dayInWords(period.lastDay)}`,
    fix: period === sender.lastApproved ? FIX_FAILING : fixOfUndecided(sender),
  }));
  return [...failing, ...undecided, ...seasonal].toSorted((a, b) => b.messages - a.messages);
}

/** Days with messages in two months that make a sender regular: worth saying beside a sign of legitimacy, and none itself. */
const REGULAR_DAYS = 3;

const FIX_FAILING =
  'Let the sender sign with DKIM in the name of your domain, or use your domain or a subdomain in MAIL FROM and authorize it with SPF.';
const FIX_UNSIGNED = 'Let the sender sign with DKIM in the name of your domain.';
const FIX_UNDECIDED =
  'Decide whether you use this sender: approve it and let it authenticate its mail, or mark it as unauthorized.';

const FIX_OTHERS =
  'If you use this provider, let it sign with DKIM in the name of your domain, or use a subdomain in MAIL FROM. Mark what is left as unauthorized.';

const fixOfUndecided = ({ group }: SenderMeasures): string =>
  isOtherCustomers(group.id) ? FIX_OTHERS : FIX_UNDECIDED;

function about({ group }: SenderMeasures, messages: number) {
  return { senderId: group.id, name: group.name, messages };
}
