/** What a service says about the messages that a change loses. */
import * as z from 'zod/mini';
import { listedDomain } from '../../shared/api/domains.ts';
import { simulation } from '../../shared/enforcement/shapes.ts';
import { isSpfRecord } from '../../shared/protocol/spf/record.ts';
import type { ZoneSet } from '../../shared/protocol/zone-file/record-set.ts';
import { client, Unexpected } from '../admin/smoke/client.ts';
import { InputError } from './inputs.ts';

export interface LostMessages {
  /** Messages of approved senders that the proposal loses, and the published records do not. */
  readonly approved: number;
  /** Messages of all senders that the proposal quarantines or rejects, in addition. */
  readonly all: number;
  readonly startDate: string;
  readonly endDate: string;
}

/**
 * Replays the DMARC and SPF records of a zone against the reports that the service has; undefined if the zone has neither.
 * @throws InputError if the service does not know the domain, or does not answer.
 */
export async function lostMessages(
  domain: string,
  sets: readonly ZoneSet[],
  { url, token }: { readonly url: string; readonly token: string },
): Promise<LostMessages | undefined> {
  const texts = (name: string) => sets.find((set) => set.name === name && set.type === 'TXT')?.values ?? [];
  const [dmarc] = texts(`_dmarc.${domain}`);
  const spf = texts(domain).find(isSpfRecord);
  if (dmarc === undefined && spf === undefined) return undefined;
  const api = client(url, token);
  try {
    const listed = z.object({ data: z.array(listedDomain) });
    const { data } = await api.read(listed, 'GET', `/api/v1/domains?limit=100&q=${domain}`, 200);
    const id = data.find((one) => one.domain === domain)?.id;
    if (id === undefined) throw new InputError(`the service does not have the domain ${domain}`);
    const answer = z.object({ data: simulation });
    const { data: simulated } = await api.read(answer, 'POST', `/api/v1/domains/${id}/simulations`, 200, {
      json: { ...(dmarc !== undefined && { dmarc }), ...(spf !== undefined && { spf }) },
    });
    const { startDate, endDate, summary } = simulated;
    const { lost } = summary.approved;
    const stopped = (of: 'current' | 'proposed') => summary[of].quarantine + summary[of].reject;
    return {
      ...{ startDate, endDate },
      approved: Math.max(0, lost.proposed - lost.current),
      all: Math.max(0, stopped('proposed') - stopped('current')),
    };
  } catch (error) {
    if (error instanceof Unexpected) throw new InputError(`service-url: ${error.message}`);
    throw error;
  }
}
