/** One delivery for all members who have alerts mailed to them becomes one for each. */
import { createHash } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { isAtLeast, type MemberMail, severities } from '../alerts/notification.ts';
import type { DeliveryStore } from '../store/alerts/deliveries.ts';
import type { Delivery } from '../store/alerts/delivery.ts';

/** How many are created concurrently. */
const AT_ONCE = 25;

/**
 * Creates the deliveries to the members whose severity is reached, and returns their ids; which domains have the tags of a
 * member is known when it is sent. Safe to repeat: each member has one, with an ID that follows from both.
 */
export async function eachForMember(
  delivery: Delivery,
  people: Readonly<Record<string, MemberMail>>,
  deliveries: Pick<DeliveryStore, 'createOnce'>,
): Promise<string[]> {
  const { members: highest, ...content } = delivery;
  if (highest === undefined) return [];
  const each = Object.entries(people)
    .filter(([, { threshold }]) => isAtLeast(highest, threshold))
    .map(([member, { threshold }]) => ({
      ...content,
      id: idFor(delivery, member),
      member,
      further: { ...content.further, ...noneBelow(threshold) },
    }));
  for (let at = 0; at < each.length; at += AT_ONCE)
    await Promise.all(each.slice(at, at + AT_ONCE).map((one) => deliveries.createOnce(one)));
  return each.map(({ id }) => id);
}

/** UUIDv7 (RFC 9562 section 5.7) of the time of the delivery; what is random in others follows from both. */
const idFor = ({ id, createdAt }: Delivery, member: string): string =>
  uuidv7({
    msecs: Date.parse(createdAt),
    random: createHash('sha256').update(`${id} ${member}`).digest().subarray(0, 16),
  });

const noneBelow = (threshold: MemberMail['threshold']): Partial<Record<MemberMail['threshold'], 0>> =>
  Object.fromEntries(severities.filter((one) => !isAtLeast(one, threshold)).map((one) => [one, 0]));
