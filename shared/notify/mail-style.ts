/** The HTML of mails, with a style from the tokens of the pages. */
import { html, raw } from 'hono/html';
import { colors, fonts, widths } from '../design/tokens.ts';

/**
 * Ground and text have the colors of the mail program, so that its dark mode applies. Many programs know no custom properties
 * and no `rem`, so values are written out.
 */
const mailStyle = `:root{color-scheme:light dark}body{font:16px/1.5 ${fonts.sans};max-width:${widths.reading.value.replace('rem', 'em')};margin:1em auto;padding:0 1em;overflow-wrap:anywhere}h1{font-size:1.4em}h2{font-size:1.15em;margin:1.8em 0 .4em;padding-top:.8em;border-top:1px solid ${colors.line.light}}h3{font-size:1em;margin:1em 0 0}p{margin:.2em 0}@media (prefers-color-scheme:dark){h2{border-color:${colors.line.dark}}}`;

/** What the head of a mail contains beside its title. */
const mailHead =
  '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">';

/** A mail as HTML. */
export async function mailPage(subject: string, body: Parameters<typeof html>[1]): Promise<string> {
  const page = await html`<!doctype html>
<html lang="en">
<head>${raw(mailHead)}
<title>${subject}</title>
<style>${raw(mailStyle)}</style></head>
<body>
${body}</body>
</html>
`;
  return page.toString();
}
