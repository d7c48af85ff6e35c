/** The style sheet of all pages, for light mode, dark mode, and print. Nothing is fetched, so it uses system fonts. */
import { printStyle } from './style-print.ts';
import { recordStyle } from './style-record.ts';
import { resultStyle } from './style-result.ts';

const base = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7;
  --card: #fff;
  --ink: #1d1b18;
  --soft: #5f5a51;
  --line: #e2ddd3;
  --link: #1a4f8c;
  --pass: #17683a;
  --pass-tint: #e6f3ea;
  --fail: #a3211c;
  --fail-tint: #fbe9e7;
  --softfail: #855000;
  --softfail-tint: #faf0dc;
  --neutral: #4a5768;
  --neutral-tint: #ebeef3;
  --sans: -apple-system, BlinkMacSystemFont, "Segoe UI", Inter, Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", Arial, sans-serif;
  --mono: ui-monospace, SFMono-Regular, "SF Mono", Menlo, Consolas, "Liberation Mono", "DejaVu Sans Mono", monospace;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #141517;
    --card: #1c1d20;
    --ink: #eceae6;
    --soft: #aca79e;
    --line: #36373c;
    --link: #93bff7;
    --pass: #7fd3a0;
    --pass-tint: #16291e;
    --fail: #ff9f96;
    --fail-tint: #351a18;
    --softfail: #efc074;
    --softfail-tint: #2e2413;
    --neutral: #b6c2d2;
    --neutral-tint: #242a32;
  }
}
* {
  box-sizing: border-box;
}
html {
  -webkit-text-size-adjust: 100%;
}
body {
  margin: 0 auto;
  max-width: 48rem;
  padding: 0 1.25rem 3rem;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.55 var(--sans);
  font-variant-numeric: tabular-nums;
}
h1, h2, h3, p, ul, dl {
  margin: 0;
  padding: 0;
}
ul {
  list-style: none;
}
h1 {
  font-size: clamp(1.75rem, 1.2rem + 2.6vw, 2.6rem);
  line-height: 1.15;
  letter-spacing: -.022em;
  overflow-wrap: anywhere;
  text-wrap: balance;
}
h2 {
  font-size: 1.2rem;
  line-height: 1.3;
  letter-spacing: -.01em;
}
h3 {
  font-size: .95rem;
}
code {
  font: .9em/1.5 var(--mono);
  overflow-wrap: anywhere;
}
a {
  color: var(--link);
  text-underline-offset: .18em;
  text-decoration-thickness: .06em;
}
:focus-visible {
  outline: 2px solid var(--link);
  outline-offset: 3px;
  border-radius: 3px;
}
main:focus {
  outline: none;
}
.hush, .skip:not(:focus) {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
.skip:focus {
  display: inline-block;
  padding: .75rem 0;
}
.soft, .note {
  color: var(--soft);
}
.note, small, .soft {
  font-size: .875rem;
}
.top {
  display: flex;
  justify-content: space-between;
  align-items: center;
  padding: 1.1rem 0;
}
.top a {
  color: var(--soft);
  text-decoration: none;
  padding: .35rem 0;
}
.top a:hover {
  color: var(--ink);
  text-decoration: underline;
}
.mark {
  display: inline-flex;
  align-items: center;
  gap: .5rem;
  font-weight: 600;
}
footer {
  margin-top: 3.5rem;
  padding-top: 1.25rem;
  border-top: 1px solid var(--line);
  color: var(--soft);
  font-size: .875rem;
}
.eyebrow {
  color: var(--soft);
  font-size: .875rem;
}
.lead {
  font-size: 1.125rem;
  text-wrap: pretty;
}
.lone {
  padding: clamp(1.5rem, 8vh, 5rem) 0 1rem;
  display: grid;
  gap: 1.1rem;
}
.lone > * {
  justify-self: start;
}
.lone > form, .lone > ul {
  justify-self: stretch;
}
.promises {
  margin-top: 1.5rem;
  display: grid;
  gap: .6rem;
  color: var(--soft);
}
.promises li {
  padding-left: 1.4rem;
  position: relative;
}
.promises li::before {
  content: "–" / "";
  position: absolute;
  left: 0;
}
button, .button {
  display: inline-flex;
  align-items: center;
  min-height: 2.75rem;
  padding: .55rem 1.1rem;
  border: 1px solid var(--line);
  border-radius: .5rem;
  background: var(--card);
  color: var(--ink);
  font: 600 .9375rem/1.5 var(--sans);
  text-decoration: none;
  cursor: pointer;
}
button:hover, .button:hover {
  border-color: var(--soft);
}
[hidden] {
  display: none;
}
.small {
  min-height: 2rem;
  padding: .2rem .7rem;
  font-size: .8125rem;
}
.check label {
  display: block;
  margin-bottom: .3rem;
  font-size: .875rem;
  font-weight: 600;
}
.row {
  display: flex;
  gap: .6rem;
}
.row input {
  flex: 1;
  min-width: 0;
  min-height: 2.75rem;
  padding: .5rem .85rem;
  border: 1px solid var(--soft);
  border-radius: .5rem;
  background: var(--card);
  color: inherit;
  font: 1rem/1.5 var(--mono);
}
.row input::placeholder {
  color: var(--soft);
  opacity: 1;
}
.row button {
  border-color: var(--ink);
  background: var(--ink);
  color: var(--paper);
}
.problem {
  margin-top: .5rem;
  color: var(--fail);
  font-weight: 600;
}
.lone > .invitation {
  justify-self: stretch;
  margin-top: 2rem;
  padding: 1.25rem 1.4rem;
  border: 1px solid var(--line);
  border-radius: .6rem;
  background: var(--card);
}
`;

/** Line breaks and indentation are not significant in CSS, so they are removed. */
export const style = (base + resultStyle + recordStyle + printStyle).replaceAll(/\n\s*/g, '');
