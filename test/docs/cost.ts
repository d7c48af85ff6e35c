/** Estimates the monthly cost of a deployment from the cost of one check, mail, and request; tests measure the inputs. */
import { triggers } from '../../functions/triggers.ts';
import { eventsOf, type Trigger } from '../../shared/runtime/workers/trigger.ts';

/** Capacity units of the table; `reads` takes consistency into account. */
interface Units {
  readonly reads: number;
  readonly writes: number;
}

/** Queueing and checking a domain without changes. */
export const unitsOfCheck: Units = { reads: 7.7, writes: 12 };
/** What a check run reads to notice that reports stop, of a domain with five reports a day. */
export const unitsOfWatch: Units = { reads: 5.5, writes: 0 };
/**
 * A mail with a DMARC report of five rows from a known reporter: 8 write units, 2 more for one mail of the 25 of a day, as
 * its selectors are noted, and 2 more once a week, as the reporter is, while the selectors wait.
 */
export const unitsOfMail: Units = { reads: 6, writes: 8.4 };
/**
 * All roll-ups of a day with 25 reports about a thousand addresses: after the first report, after each eighth one, and after
 * the check run. The first one also assesses what the domain is ready for, which reads a year.
 */
export const unitsOfRollUps: Units = { reads: 361.5, writes: 86 };
/** Gathering and delivering what one alert causes on a channel, and a digest: flat up to 600 alerts but for reading them. */
export const unitsOfNotification = {
  mail: { reads: 5, writes: 16 },
  webhook: { reads: 6, writes: 14 },
  digest: { reads: 8, writes: 16 },
} as const satisfies Record<string, Units>;
/** Reading one resource: token, rate limit, domain, and the resource. */
const unitsOfRequest: Units = { reads: 3.5, writes: 1 };

/** The approximate number of metrics in alarms, each of which is billed. */
export const METRICS_IN_ALARMS = 265;
/** Custom metrics with data in every hour, of about a hundred that exist. */
const OWN_METRICS = 45;

/** Assumptions per domain: per month, and for retention. */
export const assumed = { mails: 750, checks: 30, requests: 3000, monthsKept: 12 } as const;
/** Per day: after the first report, after each eighth one of 25, and after the check run. */
const ROLL_UPS = 5;

/**
 * Sizes: a mail as stored by SES, the table data of one domain after a year, and a response. A mail takes 1.2 KB in two
 * items, to each of which DynamoDB adds 100 bytes, and the sums of a day 4 KB.
 */
const MAIL_KB = 10;
const TABLE_MB = 14;
const ANSWER_KB = 5;

/** Log volume: our lines, the three lines of Lambda, and the gateway's line. */
const LOG_KB = { mail: 1.6, check: 1, request: 1.1 };

/**
 * Measured on a machine about as fast as Lambda; a check and a mail mostly wait for remote servers. The mails of a batch wait
 * at the same time, so it takes as long as its slowest one; 0.3 seconds of that are the CPU time of ten mails, 16 ms each
 * (`npm run bench mails`) of the 58 % of a processor that the function has.
 */
const SECONDS = {
  arrival: 0.03,
  mail: 0.4,
  batchOfMails: 1,
  rollUp: 0.2,
  check: 5,
  request: 0.06,
  turn: 0.2,
};
const REQUEST_MEGABYTES = 512;

/** US dollars, us-east-1, list prices; the permanent free tier is deducted. */
const PRICE = {
  mail: 0.1 / 1000,
  put: 5e-6,
  get: 0.4e-6,
  storedGb: 0.023,
  topic: 0.5e-6,
  queue: 0.4e-6,
  freeQueue: 1e6,
  call: 0.2e-6,
  freeCalls: 1e6,
  gbSecond: 13.3334e-6,
  freeGbSeconds: 400_000,
  read: 0.125e-6,
  write: 0.625e-6,
  /** Includes point-in-time recovery for 35 days. */
  tableGb: 0.45,
  request: 1e-6,
  /** Beyond 300 million. */
  furtherRequest: 0.9e-6,
  outGb: 0.09,
  freeOutGb: 100,
  alarm: 0.1,
  metric: 0.3,
  free: 10,
  logGb: 0.5,
  freeLogGb: 5,
  /** Two more after the second yearly rotation. */
  key: 1,
} as const;

const MONTH_DAYS = 30;
const WEEKS = MONTH_DAYS / 7;
const MONTH_SECONDS = MONTH_DAYS * 86_400;
/** Lambda starts with five pollers of a queue; while it is idle, each polls it every 20 seconds. */
const POLLERS = 5;
const IDLE_RECEIVES = (POLLERS * MONTH_SECONDS) / 20;

export interface Cost {
  readonly item: string;
  readonly dollars: number;
}

/** The monthly cost for this number of domains after a year of operation. */
export function costOf(domains: number): readonly Cost[] {
  const mails = assumed.mails * domains;
  const checks = assumed.checks * domains;
  const requests = assumed.requests * domains;
  const days = MONTH_DAYS * domains;
  const rollUps = ROLL_UPS * days;
  return [
    { item: 'SES: inbound mail', dollars: mails * PRICE.mail },
    {
      item: 'S3, SNS, SQS: mail storage and queues',
      dollars:
        mails * (PRICE.put + PRICE.get + PRICE.topic) +
        ((mails * assumed.monthsKept * MAIL_KB) / 1e6) * PRICE.storedGb +
        beyond(queueRequests({ mails, checks, rollUps }), PRICE.freeQueue) * PRICE.queue,
    },
    { item: 'Lambda', dollars: functions(domains, { mails, checks, requests, rollUps }) },
    {
      item: 'DynamoDB: requests',
      dollars:
        dollarsOf(unitsOfMail) * mails +
        (dollarsOf(unitsOfCheck) + dollarsOf(unitsOfWatch)) * checks +
        dollarsOf(unitsOfRollUps) * days +
        dollarsOf(unitsOfRequest) * requests,
    },
    { item: 'DynamoDB: storage and backups', dollars: ((domains * TABLE_MB) / 1e3) * PRICE.tableGb },
    {
      item: 'API Gateway and data transfer out',
      dollars:
        requests * PRICE.request -
        beyond(requests, 300e6) * (PRICE.request - PRICE.furtherRequest) +
        beyond((requests * ANSWER_KB) / 1e6, PRICE.freeOutGb) * PRICE.outGb,
    },
    {
      item: 'CloudWatch: logs, metrics, and alarms',
      dollars:
        beyond(
          (mails * LOG_KB.mail + checks * LOG_KB.check + requests * LOG_KB.request) / 1e6,
          PRICE.freeLogGb,
        ) *
          PRICE.logGb +
        beyond(METRICS_IN_ALARMS, PRICE.free) * PRICE.alarm +
        beyond(OWN_METRICS, PRICE.free) * PRICE.metric,
    },
    { item: 'KMS: the keys of secrets and of evidence', dollars: 2 * PRICE.key },
  ];
}

/** The monthly cost of a digest a week for each domain, if each is an organization of its own: sending and preparing it. */
export const costOfDigests = (domains: number): number =>
  domains * WEEKS * (PRICE.mail + dollarsOf(unitsOfNotification.digest) + 3 * PRICE.queue);

const rows: readonly Trigger[] = Object.values(triggers);
const queueCount = rows.filter(({ source }) => source.kind === 'queue').length;

/** Each message is sent, received and deleted, those of a batch of mails together, and each mail passes two queues. */
const queueRequests = ({ mails, checks, rollUps }: Omit<Work, 'requests'>): number =>
  3 * (mails + checks + rollUps) + 2 * mails + mails / mailsTogether(mails) + IDLE_RECEIVES * queueCount;

/** The report mails of an invocation. */
function mailsTogether(mails: number): number {
  const { batchSize, batchingSeconds } = triggers.receiveReportMail.source;
  const gathered = (mails / MONTH_SECONDS / POLLERS) * batchingSeconds;
  return Math.min(batchSize, Math.max(1, gathered));
}

const beyond = (amount: number, free: number): number => Math.max(0, amount - free);

const dollarsOf = ({ reads, writes }: Units): number => reads * PRICE.read + writes * PRICE.write;

interface Work {
  readonly mails: number;
  readonly checks: number;
  readonly requests: number;
  readonly rollUps: number;
}

function functions(domains: number, { mails, checks, requests, rollUps }: Work): number {
  const { queueReceivedMail, receiveReportMail, rollUpSummaries, checkDomain } = triggers;
  // Each sweep queues the domains that are due in one minute, which limits the size of a batch.
  const batch = Math.min(checkDomain.source.batchSize, Math.max(1, domains / 1440));
  const together = mailsTogether(mails);
  const turns = rows.flatMap(({ source, memoryMegabytes }) =>
    source.kind === 'schedule'
      ? [
          {
            calls: (MONTH_SECONDS / source.everySeconds) * eventsOf(source).length,
            seconds: SECONDS.turn,
            memoryMegabytes,
          },
        ]
      : [],
  );
  const all = [
    { calls: mails, seconds: SECONDS.arrival, memoryMegabytes: queueReceivedMail.memoryMegabytes },
    {
      calls: mails / together,
      seconds: Math.min(SECONDS.batchOfMails, together * SECONDS.mail),
      memoryMegabytes: receiveReportMail.memoryMegabytes,
    },
    { calls: rollUps, seconds: SECONDS.rollUp, memoryMegabytes: rollUpSummaries.memoryMegabytes },
    { calls: checks / batch, seconds: SECONDS.check, memoryMegabytes: checkDomain.memoryMegabytes },
    { calls: requests, seconds: SECONDS.request, memoryMegabytes: REQUEST_MEGABYTES },
    ...turns,
  ];
  const calls = all.reduce((sum, one) => sum + one.calls, 0);
  const gbSeconds = all.reduce((sum, one) => sum + (one.calls * one.seconds * one.memoryMegabytes) / 1024, 0);
  return (
    beyond(calls, PRICE.freeCalls) * PRICE.call + beyond(gbSeconds, PRICE.freeGbSeconds) * PRICE.gbSecond
  );
}
