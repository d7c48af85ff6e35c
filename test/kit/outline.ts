/**
 * Markup as an outline that people read, which is how outputs of pages are recorded: an element a line, indented, with the
 * attributes that matter. Rows of tables are one line; of lists to choose from, only the choice is shown.
 */

import { dayInWords, timeInWords } from '../../shared/protocol/time.ts';

const inline = new Set('a abbr b br code em i kbd small span strong sup text time title wbr'.split(' '));
const empty = new Set('br input link meta wbr'.split(' '));
/** Everything in them is on their line. */
const single = new Set(['tr', 'select', 'datalist']);
/** Without attributes, they say nothing. */
const plain = new Set(['div', 'thead', 'tbody']);

/** What is the same everywhere, or only names another element. */
const CONSTANT = new RegExp(
  [
    ...['tabindex="0"', 'autocapitalize="none"', 'spellcheck="false"', 'autocomplete="off"', 'scope="\\w+"'],
    ...['aria-hidden="true"', 'data-busy="[^"]*"', 'data-unit="(?!domain)\\w+"', 'inputmode="\\w+"'],
    ...['type="(?:button|text)"', 'role="region"'],
    ...[
      'aria-describedby="[\\w-]+-(?:takes|desc)"',
      'class="(?:hush|soft|(?:(?:num|did|next|late|mid|decision) ?)+)"',
    ],
  ]
    .map((attribute) => ` ${attribute}`)
    .join('|'),
  'g',
);
/** What a chart draws is in its figures, too. */
const REPEATED = new RegExp(
  [
    ...[
      '<defs>.*?</defs>',
      '<g class="grid".*?</g>',
      '<rect class="hit".*?</rect>',
      '<svg class="sample".*?</svg>',
    ],
    ...[
      '<clipPath.*?</clipPath><rect[^>]*>',
      '<svg y="\\d+" width="100%" height="48">.*?</svg>',
      '<title id.*?</desc>',
    ],
    ...['<summary>Figures</summary>', '<caption id.*?</caption>'],
    '<p class="actions"><button type="button" class="small" data-keys .*</dialog>',
  ].join('|'),
  'gs',
);

/** The length of a day in ISO 8601. */
const DAY = 10;

const simplified = (markup: string): string =>
  markup
    .replaceAll(REPEATED, '')
    .replaceAll(/<input type="hidden" name="formToken" value="[^"]*">/g, '(token) ')
    .replaceAll(/<time datetime="([^"]*)">([^<]*)<\/time>/g, (_, iso: string, words: string) => {
      const exact = iso.length === DAY ? dayInWords(iso) : timeInWords(iso);
      return words === exact ? words : `${words} (${iso})`;
    })
    .replaceAll(/(<select[^>]*>)(.*?)<\/select>/gs, (_, select: string, options: string) => {
      const all = options.split('<option').slice(1);
      const chosen = all.find((option) => option.includes(' selected'));
      return `${select}${chosen === undefined ? '' : `<option${chosen}, `}${all.length} choices</select>`;
    });

/** Where a text is cut is easier to see in a number. */
const LONG = /(\w)\1{19,}/g;
const TOKEN = /<(\/?)([a-z]\w*)([^>]*)>|[^<]+/gi;

/** @param markup A document, of which the main part is shown, or a part of one. */
export function outlineOf(markup: { toString(): string }): string {
  const whole = simplified(String(markup));
  const main = /<main[^>]*>(.*)<\/main>/s.exec(whole)?.[1] ?? whole;
  const found: string[] = [];
  /** Of the open elements: whether each has a line. */
  const open: boolean[] = [];
  const openInline: boolean[] = [];
  let [line, depth, within] = ['', 0, ''];
  const add = (text: string) => {
    if (line === '') depth = open.filter(Boolean).length;
    line += text;
  };
  const end = () => {
    const text = line
      .replaceAll(/\s+/g, ' ')
      .replaceAll(' >', '>')
      .trim()
      .replaceAll(LONG, (run) => `${run[0]}×${run.length}`);
    if (text !== '') found.push(`${' '.repeat(depth)}${text}`);
    line = '';
  };
  for (const [token, slash, name = '', rest = ''] of main.matchAll(TOKEN)) {
    const attributes = rest.replaceAll(CONSTANT, '').replace(/ ?\/$/, '');
    if (name === '') add(token);
    else if (within !== '' && slash !== '') {
      if (name === within) end();
      if (name === within) within = '';
      else if (!/^(?:t[dh]|option)$/.test(name) && openInline.pop() === true) add('>');
    } else if (within !== '' && /^(?:t[dh]|option)$/.test(name)) add(inSingle(name, attributes));
    else if (within !== '' || inline.has(name)) {
      const isShown = name !== 'span' || attributes !== '';
      if (slash !== '') {
        if (openInline.pop() === true) add('>');
      } else if (empty.has(name) || rest.endsWith('/')) add(`<${head(name, attributes)}>`);
      else {
        openInline.push(isShown);
        if (isShown) add(`<${head(name, attributes)} `);
      }
    } else if (name === 'dt') slash === '' && add('');
    else if (slash !== '') {
      end();
      open.pop();
    } else if (name === 'dd') {
      add(': ');
      open.push(true);
    } else {
      end();
      const isShown = !plain.has(name) || attributes !== '';
      if (isShown) add(`${head(name, attributes)} `);
      if (single.has(name)) within = name;
      else if (empty.has(name) || rest.endsWith('/')) end();
      else open.push(isShown);
    }
  }
  end();
  return `\n${found.join('\n')}\n`;
}

/** The title of a document, and its main part. */
export const outlineOfPage = (page: string): string =>
  `${/<title>(.*?)<\/title>/.exec(page)?.[1] ?? ''}${outlineOf(page)}`;

function inSingle(name: string, attributes: string): string {
  if (name === 'option') return ` ${/"(.*)"/.exec(attributes)?.[1] ?? ''}: `;
  return ` |${head('', attributes)} `;
}

/** `h2#fix.open[href=/]`. */
function head(name: string, attributes: string): string {
  const others = attributes
    .replace(/ id="([^"]*)"/, '')
    .replace(/ class="([^"]*)"/, '')
    .trim();
  const id = / id="([^"]*)"/.exec(attributes)?.[1];
  const style = / class="([^"]*)"/.exec(attributes)?.[1];
  return `${name}${id === undefined ? '' : `#${id}`}${style === undefined ? '' : `.${style.trim().replaceAll(/ +/g, '.')}`}${others === '' ? '' : `[${others.replaceAll('"', '')}]`}`;
}

/** In characters of lines that the other outline has in full. */
const MOST_LEFT = 40;

/** The lines of an outline that another one does not have, and what that has in their place: what sets a state apart. */
export function differenceOf(before: string, after: string): string {
  const [from = [], to = []] = [before, after].map((outline) =>
    outline.split('\n').map((line) => line.trim()),
  );
  /** How many lines the rest of both can have in common, by where both rests begin. */
  const common = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = from.length - 1; i >= 0; i -= 1)
    for (let j = to.length - 1; j >= 0; j -= 1)
      (common[i] ?? [])[j] = from[i] === to[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const found: string[] = [];
  let gone: string[] = [];
  const end = () => {
    const [first = '', ...others] = gone;
    if (gone.length > 0)
      found.push(
        `- ${first.slice(0, MOST_LEFT)}${others.length === 0 ? '' : ` (and ${others.length} lines)`}`,
      );
    gone = [];
  };
  for (let [i, j] = [0, 0]; i < from.length || j < to.length; ) {
    if (j === to.length || (i < from.length && from[i] !== to[j] && at(i + 1, j) >= at(i, j + 1))) {
      gone.push(from[i++] ?? '');
      continue;
    }
    end();
    if (from[i] === to[j]) i += 1;
    else found.push(`+ ${to[j]}`);
    j += 1;
  }
  end();
  return `\n${found.join('\n')}\n`;
}
