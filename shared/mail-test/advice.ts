/** What can be better about a message without affecting its score: content, From domain, key strength and unsubscribing. */
import type { AlignedSignature, Authentication } from '../protocol/message/evaluate.ts';
import { type HeaderSection, valuesOf } from '../protocol/message/header-section.ts';
import { hasOneClickFields, offersOneClick } from './bulk-sender.ts';
import type { Content } from './content.ts';
import type { SenderMx } from './sender-mx.ts';

export const adviceTopics = [
  'text-part',
  'links',
  'from-mx',
  'key-strength',
  'one-click-unsubscribe',
] as const;
export type AdviceTopic = (typeof adviceTopics)[number];

export interface Advice {
  readonly topic: AdviceTopic;
  /** `unknown`: could not be determined. */
  readonly state: 'good' | 'bad' | 'unknown';
  /** What was found, and for `bad`, what to do. */
  readonly explanation: string;
}

interface Advised {
  readonly section: HeaderSection;
  /** Null if it could not be read. */
  readonly content: Content | null;
  readonly fromMx: SenderMx;
  readonly dkim: Pick<Authentication['dkim'], 'signatures' | 'more'>;
}

/** Gmail requires 1024 bits, and recommends this length (support.google.com/a/answer/81126). */
const STRONG_RSA_BITS = 2048;

/** The topics that apply to the message. */
export function adviceFor({ section, content, fromMx, dkim }: Advised): readonly Advice[] {
  return [
    ...(content === null ? [] : contentAdvice(content)),
    replyAdvice(fromMx),
    ...keyAdvice(dkim.signatures),
    ...unsubscribeAdvice(section, dkim),
  ];
}

function contentAdvice({ hasHtml, hasText, linksToAddress }: Content): Advice[] {
  const links: Advice[] = linksToAddress
    ? [
        {
          topic: 'links',
          state: 'bad',
          explanation:
            'A link leads to an IP address, as in much phishing. Link to host names of your domain.',
        },
      ]
    : [];
  if (!hasHtml) return links;
  const explanation = hasText
    ? 'The message has a text part beside HTML.'
    : 'The message has HTML without a text part, as much spam does. Send both as multipart/alternative.';
  return [{ topic: 'text-part', state: hasText ? 'good' : 'bad', explanation }, ...links];
}

function replyAdvice({ domain, status, problem }: SenderMx): Advice {
  const topic = 'from-mx';
  if (status === 'valid') return { topic, state: 'good', explanation: `${domain} receives replies.` };
  if (status === 'unknown')
    return { topic, state: 'unknown', explanation: problem ?? 'The MX records are unknown.' };
  const explanation = `${problem} Replies to the From address are lost, and some receivers reject the message: use a From domain that receives mail.`;
  return { topic, state: 'bad', explanation };
}

function keyAdvice(signatures: readonly AlignedSignature[]): Advice[] {
  const sizes = signatures.flatMap(({ verdict, algorithm, keySize }) =>
    verdict === 'pass' && algorithm.startsWith('rsa') && keySize !== null ? [keySize] : [],
  );
  if (sizes.length === 0) return [];
  const topic = 'key-strength';
  const least = Math.min(...sizes);
  if (least >= STRONG_RSA_BITS)
    return [{ topic, state: 'good', explanation: `The DKIM key has ${least} bits.` }];
  const explanation = `A DKIM key has only ${least} bits. Create one with ${STRONG_RSA_BITS} bits under a new selector.`;
  return [{ topic, state: 'bad', explanation }];
}

/** Nothing about messages that nobody can unsubscribe from: a letter to one person needs no link. */
function unsubscribeAdvice(section: HeaderSection, dkim: Advised['dkim']): Advice[] {
  if (valuesOf(section, 'list-unsubscribe').length === 0) return [];
  const topic = 'one-click-unsubscribe';
  const offers = offersOneClick(section, dkim);
  if (offers === true)
    return [{ topic, state: 'good', explanation: 'Recipients can unsubscribe with one click (RFC 8058).' }];
  if (offers === null) {
    const explanation =
      'The header fields offer one click, but the DKIM signature that covers them could not be checked.';
    return [{ topic, state: 'unknown', explanation }];
  }
  const explanation = hasOneClickFields(section)
    ? 'The header fields offer one click, but no valid DKIM signature covers both List-Unsubscribe and List-Unsubscribe-Post (RFC 8058). Have DKIM sign both fields.'
    : 'The List-Unsubscribe header field does not offer one click over https (RFC 8058). Add an https link and List-Unsubscribe-Post: List-Unsubscribe=One-Click, and have DKIM sign both fields.';
  return [{ topic, state: 'bad', explanation }];
}
