/**
 * Short versions of `npm run bench kills`, whose larger numbers of mails and kills take too long for a run of all
 * tests.
 */
import { describe, expect, test } from '@jest/globals';
import { mailsDuringKills } from '../kit/mails-during-kills.ts';
import { reportDuringKills } from '../kit/report-during-kills.ts';

describe('while the whole process group is killed with SIGKILL', () => {
  test('stores and counts each of 60 mails once during 6 kills, and sends each alert in one delivery', async () => {
    const plan = { mails: 60, kills: 6, seed: 7, webhookMilliseconds: 20 };
    const { wrong, alerts } = await mailsDuringKills(plan);
    expect([wrong, alerts]).toEqual([[], 60]);
  }, 600_000);

  test('stores and counts a report once if seven kills in a row interrupt its ingestion', async () => {
    const plan = { rows: 2_000, kills: 7, seed: 7, moment: 'asking' } as const;
    const { wrong, killsInReading } = await reportDuringKills(plan);
    expect([wrong, killsInReading]).toEqual([[], 7]);
  }, 600_000);
});
