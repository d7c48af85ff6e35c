/** Whether each of thousands of broken mails that come by SMTP has one outcome. */
import { deliverMutatedMails } from '../kit/deliver-mutated-mails.ts';
import { bootService } from '../kit/service.ts';
import type { BenchRow } from './row.ts';

const COUNT = 5_000;
const SEED = 20_261_123;
const PATIENCE_MILLISECONDS = 3_600_000;

/** Delivers to a service of its own; takes some minutes. */
export async function benchBrokenMail(): Promise<readonly BenchRow[]> {
  const service = await bootService();
  try {
    const start = performance.now();
    const { sent, kept, refused, withoutOutcome, queued } = await deliverMutatedMails(service, {
      count: COUNT,
      seed: SEED,
      patience: PATIENCE_MILLISECONDS,
    });
    const seconds = (performance.now() - start) / 1000;
    const once = new Set(kept).size === kept.length && kept.length === sent;
    return [
      {
        name: 'Broken mails by SMTP that have exactly one outcome',
        value: `${kept.length - withoutOutcome.length} of ${sent.toLocaleString('en')} in ${Math.round(seconds)} s, ${refused.length} refused, ${queued} left in queues`,
        goal: 'all of them, none left',
        met: once && refused.length === 0 && withoutOutcome.length === 0 && queued === 0,
      },
    ];
  } finally {
    await service.remove();
  }
}
