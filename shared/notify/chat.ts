/**
 * Messages for the incoming webhooks of chat programs. Alerts quote names that strangers chose, so each text is a kind of
 * element that renders no Markdown, no links and no mentions.
 */
import { printable } from '../protocol/printable.ts';
import type { Content } from './content.ts';

/** Slack allows 50 blocks of 3000 characters, and Teams 28 KB for a message: this much of both fits. */
const MOST_ENTRIES = 15;
const MAX_TEXT = 400;

/** A line of a message; the first one of an entry is its head. */
interface Line {
  readonly text: string;
  readonly isHead?: true;
}

/** The entries of a message, as lines, and what was left out. */
function shownOf({ subject, entries, allAlerts }: Content): {
  subject: string;
  entries: Line[][];
  rest: string[];
} {
  const hidden = entries.length - MOST_ENTRIES;
  return {
    subject: printable(subject, MAX_TEXT),
    entries: entries
      .slice(0, MOST_ENTRIES)
      .map(({ head, paragraphs, where }) => [
        { text: printable(head, MAX_TEXT), isHead: true },
        ...[...paragraphs.slice(0, 2), where].map((text) => ({ text: printable(text, MAX_TEXT) })),
      ]),
    rest: hidden > 0 ? [`${hidden} more: see ${allAlerts}`] : [],
  };
}

/** The body of a request to an incoming webhook of Slack: `text` for notifications, and Block Kit sections. */
export function slackMessage(content: Content) {
  const { subject, entries, rest } = shownOf(content);
  const section = (text: string) => ({
    type: 'section',
    text: { type: 'plain_text', text: escapeSlack(text), emoji: false },
  });
  const isSingle = entries.length === 1;
  return {
    text: escapeSlack(subject),
    blocks: [
      ...(isSingle ? [] : [section(subject)]),
      ...entries.map((lines) => section(lines.map(({ text }) => text).join('\n'))),
      ...rest.map(section),
    ],
  };
}

/** Slack reads `<...>` as a link or a mention, and `&` as the begin of an entity, in every text. */
const escapeSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/**
 * The body of a request to a Workflows webhook of Microsoft Teams: an Adaptive Card. It consists of RichTextBlocks, because
 * a TextBlock renders Markdown, and a TextRun does not.
 */
export function teamsMessage(content: Content) {
  const { subject, entries, rest } = shownOf(content);
  const block = ({ text, isHead }: Line) => ({
    type: 'RichTextBlock',
    ...(isHead && { separator: true }),
    inlines: [{ type: 'TextRun', text, ...(isHead && { weight: 'Bolder' }) }],
  });
  const isSingle = entries.length === 1;
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.2',
          body: [
            ...(isSingle ? [] : [block({ text: subject, isHead: true })]),
            ...entries.flat().map(block),
            ...rest.map((text) => block({ text })),
          ],
        },
      },
    ],
  };
}
