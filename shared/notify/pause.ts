/** Limits how often mails are sent: alerts raised during a pause are sent together after it. */
import { LONGEST_PAUSE_SECONDS } from '../store/alerts/longest-waits.ts';
import type { Pause } from '../store/alerts/notification-settings.ts';

const SHORTEST_SECONDS = 5 * 60;

/**
 * The pause after a mail sent at `now`, where `before` is the previous pause: five minutes after a quiet period;
 * otherwise twice the previous pause, up to an hour. So the first alert is sent immediately, and a burst of alerts that
 * lasts all day results in about 25 mails.
 */
export function pauseAfterMail(before: Pause | null, now: Date): Pause {
  const isStorm = before !== null && now.getTime() < Date.parse(before.until) + before.seconds * 1000;
  const seconds = isStorm ? Math.min(2 * before.seconds, LONGEST_PAUSE_SECONDS) : SHORTEST_SECONDS;
  return { until: new Date(now.getTime() + seconds * 1000).toISOString(), seconds };
}
