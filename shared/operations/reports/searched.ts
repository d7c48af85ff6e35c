import { formatNumber } from '../../protocol/quantity.ts';
import { MAX_SEARCHED_REPORTS } from '../../store/reports/lists.ts';
import { Refused } from '../outcome.ts';

/** How to get fewer reports. */
export const SHORTER_WINDOW = 'a shorter window (startDate and endDate)';

/** What a search found; refused with advice if it would have to read too many reports. */
export const searched = <Found>(found: Found | 'too-many'): Found | Refused<'payload_too_large'> =>
  found === 'too-many'
    ? new Refused(
        'payload_too_large',
        `A filter reads at most ${formatNumber(MAX_SEARCHED_REPORTS)} reports, with 64 MB of records. Use ${SHORTER_WINDOW}.`,
      )
    : found;
