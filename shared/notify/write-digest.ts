/** Writes the mail of a digest. Apart from deliveries, because only one of their two workers needs it. */
import type { Delivery } from '../store/alerts/delivery.ts';
import { type DigestSetting, digestOf } from './digest.ts';
import { type DigestStores, digestFacts } from './digest-facts.ts';
import { digestMail } from './digest-mail.ts';
import type { Mail } from './mail.ts';

/** Reads the content of a digest and writes it; undefined if the organization has no domain. */
export type WriteDigest = (
  delivery: Delivery,
  setting: DigestSetting & { readonly to: string },
  now: Date,
) => Promise<Mail | undefined>;

export const digestWriter =
  (stores: DigestStores): WriteDigest =>
  async (delivery, { to, ...setting }, now) => {
    const { organization, period } = delivery;
    if (period === undefined) throw new Error(`the digest ${delivery.id} has no period`);
    const facts = await digestFacts({ organization, period }, stores, now);
    const { unsubscribeUrl } = setting;
    return facts && digestMail(digestOf(facts, setting), { to, delivery, unsubscribeUrl });
  };
