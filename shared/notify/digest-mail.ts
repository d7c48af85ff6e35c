/** The mail of a digest, as text and as HTML. */
import { html } from 'hono/html';
import type { Delivery } from '../store/alerts/delivery.ts';
import type { Digest } from './digest.ts';
import { automaticHeaders, type Mail } from './mail.ts';
import { mailPage } from './mail-style.ts';

export async function digestMail(
  digest: Digest,
  { to, delivery, unsubscribeUrl }: { to: string; delivery: Pick<Delivery, 'id'>; unsubscribeUrl: string },
): Promise<Mail> {
  return {
    to,
    subject: digest.subject,
    text: textOf(digest),
    html: await htmlOf(digest),
    headers: { ...automaticHeaders(delivery), ...unsubscribeHeaders(unsubscribeUrl) },
  };
}

/** RFC 2369 section 3.2, and RFC 8058 section 3.1, which requires HTTPS for one click. */
const unsubscribeHeaders = (url: string): Record<string, string> => ({
  'List-Unsubscribe': `<${url}>`,
  ...(url.startsWith('https:') && { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
});

function textOf({ headline, sections, notes, links }: Digest): string {
  const parts = sections.flatMap(({ title, blocks, link }) => [
    `${title}\n${'-'.repeat(title.length)}`,
    ...blocks.map((block) =>
      [block.head, ...block.paragraphs, ...(block.link === undefined ? [] : [linkText(block.link)])].join(
        '\n',
      ),
    ),
    ...(link === undefined ? [] : [linkText(link)]),
  ]);
  return `${[headline, ...parts, '-- ', ...notes, ...links.map(linkText)].join('\n\n')}\n`;
}

const linkText = ({ label, url }: Digest['links'][number]): string => `${label}: ${url}`;

const htmlOf = ({ subject, headline, sections, notes, links }: Digest): Promise<string> =>
  mailPage(
    subject,
    html`<h1>${headline}</h1>
${sections.map(
  ({ title, blocks, link }) => html`<h2>${title}</h2>
${blocks.map((block) => html`<h3>${block.head}</h3>\n${block.paragraphs.map((one) => html`<p>${one}</p>\n`)}${block.link === undefined ? '' : html`<p>${linkHtml(block.link)}</p>\n`}`)}${link === undefined ? '' : html`<p>${linkHtml(link)}</p>\n`}`,
)}<h2>About this mail</h2>
${notes.map((note) => html`<p>${note}</p>\n`)}<p>${links.map((link, index) => html`${index > 0 ? ' · ' : ''}${linkHtml(link)}`)}</p>
`,
  );

const linkHtml = ({ label, url }: Digest['links'][number]) => html`<a href="${url}">${label}</a>`;
