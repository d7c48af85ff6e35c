/** Whether anything is lost, or counted twice, while the whole service is killed again and again. Takes minutes. */
import { mailsDuringKills } from '../kit/mails-during-kills.ts';
import { reportDuringKills } from '../kit/report-during-kills.ts';
import type { BenchRow } from './row.ts';

const SEED = 20_260_301;
const MAILS = { mails: 500, kills: 40, seed: SEED, webhookMilliseconds: 200 };
const REPORT = { rows: 60_000, kills: 7, seed: SEED, moment: 'any' } as const;
/** Differences that are printed. */
const MOST_SHOWN = 10;

export async function benchKills(): Promise<readonly BenchRow[]> {
  const mails = await mailsDuringKills(MAILS);
  const report = await reportDuringKills(REPORT);
  return [
    {
      name: `${MAILS.mails} mails during ${MAILS.kills} kills of the whole process group: what is lost, counted twice or not delivered`,
      value: `${told(mails.wrong)}; ${mails.alerts} alerts in ${mails.deliveries} deliveries, ${mails.repeated} of them more than once with the same id; ${mails.cutOff} SMTP sessions cut off; ${mails.seconds} s`,
      goal: 'nothing',
      met: mails.wrong.length === 0,
    },
    {
      name: `${REPORT.kills} kills in a row while a report of ${REPORT.rows} rows is read: what is lost or counted twice`,
      value: `${told(report.wrong)}; ${report.killsInReading} kills fell into the reading, which takes ${report.readingMilliseconds} ms; ${report.seconds} s`,
      goal: `nothing, ${REPORT.kills} kills`,
      met: report.wrong.length === 0 && report.killsInReading === REPORT.kills,
    },
  ];
}

const told = (wrong: readonly string[]): string =>
  wrong.length === 0 ? 'nothing' : [`${wrong.length} differences`, ...wrong.slice(0, MOST_SHOWN)].join('; ');
