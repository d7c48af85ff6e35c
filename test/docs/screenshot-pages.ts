/** The pages that `npm run screenshots` takes pictures of, and the table of them in docs/screenshots.md. */
import type { namedIn } from '../kit/web-pages.ts';

type Named = Awaited<ReturnType<typeof namedIn>>;

export interface ScreenshotPage {
  /** Of its files. */
  readonly name: string;
  readonly title: string;
  readonly path: (named: Named) => string;
}

/** Pixels: a desk, a tablet, and a phone. */
export const widths = [1440, 768, 360] as const;

const weak = ({ domainIds }: Named): string => `/console/domains/${domainIds.get('weak.test')}`;

export const screenshotPages: readonly ScreenshotPage[] = [
  { name: 'console', title: 'Today', path: () => '/console' },
  { name: 'domains', title: 'Domains', path: () => '/console/domains' },
  { name: 'senders', title: 'Senders', path: () => '/console/senders' },
  {
    ...{ name: 'organization-sender', title: 'A sender of all domains' },
    path: (named) => `/console/senders/${named.senders[1]}`,
  },
  { name: 'alerts', title: 'Alerts', path: () => '/console/alerts' },
  { name: 'changes', title: 'Changes', path: () => '/console/changes?days=90' },
  { name: 'domain', title: 'A domain', path: weak },
  { name: 'dmarc', title: 'DMARC reports', path: (named) => `${weak(named)}/dmarc` },
  { name: 'sender', title: 'A sender', path: (named) => `${weak(named)}/senders/${named.senders[1]}` },
  { name: 'enforcement', title: 'Enforcement', path: (named) => `${weak(named)}/enforcement` },
  { name: 'history', title: 'History, with evidence', path: (named) => `${weak(named)}/history` },
  { name: 'compliance', title: 'Compliance', path: () => '/console/compliance?profile=bsi-tr-03182' },
  { name: 'mailboxes', title: 'Mailboxes', path: () => '/console/mailboxes?provider=imap' },
  { name: 'members', title: 'Members', path: () => '/console/members' },
  { name: 'search', title: 'Search', path: () => '/console/search?q=test' },
  { name: 'check', title: 'Domain check', path: () => '/check?domain=weak.test' },
];

/** Of the folder docs/. */
export const fileOf = ({ name }: ScreenshotPage, width: number): string => `screenshots/${name}-${width}.png`;

/** Rows of a table: the page, and its picture in each width. */
export const screenshotRows = (): readonly (readonly string[])[] =>
  screenshotPages.map((page) => [
    page.title,
    ...widths.map(
      (width) => `[![${page.title} at ${width} pixels](${fileOf(page, width)})](${fileOf(page, width)})`,
    ),
  ]);
