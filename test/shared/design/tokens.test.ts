/** The design tokens, and that pages and mails use them. */
import { expect, test } from '@jest/globals';
import { colorRows, fonts, widths } from '../../../shared/design/tokens.ts';
import { alertMail } from '../../../shared/notify/mail.ts';
import { style } from '../../../shared/pages/style.ts';
import { madeDelivery, storedAlert } from '../../kit/alerts.ts';

test('pages have every token, and style sheets no other color', () => {
  // The last declaration of a rule has no semicolon.
  const declared = style.replaceAll('}', ';}');
  const [light = '', ...others] = declared.split('@media screen and (prefers-color-scheme:dark)');
  const [dark = '', ...rest] = others.join('').split('};}');
  for (const [name, color] of colorRows) {
    expect(light).toContain(`--${name}:${color.light};`);
    expect(dark).toContain(`--${name}:${color.dark};`);
  }
  for (const [name, { value }] of Object.entries(widths)) expect(light).toContain(`--${name}:${value};`);
  expect(rest.join('').match(/#[\da-f]{3,8}\b(?=[;,) ])/g)).toBeNull();
});

test('mails have the font of the pages, and leave their ground to the mail program', async () => {
  const to = { to: 'ops@example.org', hostUrl: 'https://monitor.example' };
  const { html } = await alertMail(madeDelivery(), [storedAlert({})], to);
  expect(html).toContain(fonts.sans);
  expect(html).not.toMatch(/background|[{;]color:/);
});
