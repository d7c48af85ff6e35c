/** How fast mails may follow each other: what comes in a pause is told together after it. */
import type { Pause } from '../store/alerts/notification-settings.ts';

const SHORTEST_SECONDS = 5 * 60;
const LONGEST_SECONDS = 60 * 60;

/**
 * The pause after a mail at `now`, when `before` was the last one: five minutes after a quiet time; twice the last one,
 * up to an hour, where no such time has passed since it ended. So the first alert is told at once, and a storm that
 * lasts all day comes in some 25 mails.
 */
export function pauseAfterMail(before: Pause | null, now: Date): Pause {
  const isStorm = before !== null && now.getTime() < Date.parse(before.until) + before.seconds * 1000;
  const seconds = isStorm ? Math.min(2 * before.seconds, LONGEST_SECONDS) : SHORTEST_SECONDS;
  return { until: new Date(now.getTime() + seconds * 1000).toISOString(), seconds };
}
