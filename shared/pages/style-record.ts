/** Styles of an SPF result: the record, the lookups, the tree, the senders, and all of them on narrow screens. */
export const recordStyle = `
.record {
  padding: 1rem 1.15rem;
  border: 1px solid var(--line);
  border-radius: .6rem;
  background: var(--card);
  line-height: 2;
}
.record code {
  font-size: .95rem;
  line-height: inherit;
}
.record .t {
  display: inline-block;
  max-width: 100%;
  vertical-align: top;
}
.t {
  --tone: var(--soft);
  color: var(--tone);
  text-decoration: underline 2px solid var(--tone);
  text-underline-offset: .3em;
}
.pass {
  --tone: var(--pass);
  --tint: var(--pass-tint);
}
.fail {
  --tone: var(--fail);
  --tint: var(--fail-tint);
}
.softfail {
  --tone: var(--softfail);
  --tint: var(--softfail-tint);
}
.neutral, .modifier {
  --tone: var(--neutral);
  --tint: var(--neutral-tint);
}
.broken {
  --tone: var(--fail);
  --tint: var(--fail-tint);
}
.fold .t, .t.version, .t.modifier {
  text-decoration-line: none;
}
.t.fail {
  text-decoration-style: double;
}
.t.softfail {
  text-decoration-style: dashed;
}
.t.neutral {
  text-decoration-style: dotted;
}
.t.broken {
  text-decoration-style: wavy;
}
.t.ignored {
  color: var(--soft);
  text-decoration-line: line-through;
}
.fold .t {
  color: inherit;
  vertical-align: baseline;
}
.odd {
  padding: 0 .15em;
  border-radius: .2em;
  background: var(--fail-tint);
  color: var(--fail);
}
.legend {
  display: flex;
  flex-wrap: wrap;
  gap: .35rem 1.25rem;
  font-size: .8125rem;
}
.bar {
  --tone: var(--pass);
  display: flex;
  align-items: center;
  padding: .4rem 0;
}
.bar.warn {
  --tone: var(--softfail);
}
.bar.bad {
  --tone: var(--fail);
}
.bar i {
  flex: 1;
  height: 1.35rem;
  border: 1px solid var(--line);
  background: var(--card);
  margin-right: 3px;
  border-radius: 2px;
}
.bar .used {
  border-color: var(--tone);
  background: var(--tone);
  margin-right: 1px;
}
.bar .used.last {
  margin-right: 7px;
}
.bar .over {
  background: repeating-linear-gradient(135deg, var(--tone) 0 4px, var(--card) 4px 7px);
}
.limit {
  align-self: stretch;
  margin: -.4rem 8px -.4rem 3px;
  border-left: 3px solid var(--ink);
}
.more {
  color: var(--fail);
  font-weight: 700;
}
.bill li, .line {
  display: flex;
  gap: .6rem;
  align-items: baseline;
}
.bill li {
  justify-content: space-between;
  padding: .35rem 0;
  border-bottom: 1px solid var(--line);
}
.n {
  flex: none;
  margin-left: auto;
  font-size: .875rem;
  white-space: nowrap;
}
.tree ul ul {
  margin-left: .65rem;
  padding-left: .85rem;
  border-left: 1px solid var(--line);
}
.tree ul ul ul ul ul ul {
  margin-left: 0;
  padding-left: .3rem;
}
.line {
  padding: .28rem 0;
}
.what {
  min-width: 0;
  overflow-wrap: anywhere;
}
.nets code {
  margin-right: .5rem;
}
.tree .t {
  color: inherit;
  text-decoration-line: none;
}
.tree .t.ignored {
  color: var(--soft);
  text-decoration-line: line-through;
}
.q {
  flex: none;
  width: 1.3rem;
  height: 1.3rem;
  border-radius: .3rem;
  background: var(--tint);
  color: var(--tone);
  font: 700 .9rem/1.3rem var(--mono);
  text-align: center;
}
.tag {
  display: inline-block;
  padding: 0 .5rem;
  border-radius: 1rem;
  background: var(--neutral-tint);
  color: var(--neutral);
  font-size: .8125rem;
}
.tag.bad {
  background: var(--fail-tint);
  color: var(--fail);
}
.tag.open {
  background: var(--softfail-tint);
  color: var(--softfail);
}
.tree .n {
  padding-right: 1.1rem;
}
.tree summary .n {
  padding-right: 0;
}
summary {
  cursor: pointer;
}
summary.line {
  list-style: none;
}
summary.line::-webkit-details-marker {
  display: none;
}
summary.line .n::after {
  content: "▾" / "";
  display: inline-block;
  width: 1.1rem;
  text-align: right;
}
details:not([open]) > summary.line .n::after {
  content: "▸" / "";
}
summary.line:hover code, .fold > summary:hover {
  text-decoration: underline;
}
.fold {
  border-top: 1px solid var(--line);
  padding: .6rem 0;
}
.fold + .fold {
  margin-top: 0 !important;
}
.fold[open] > summary {
  margin-bottom: .75rem;
}
.fold .head, .fold > .soft {
  margin-top: .75rem;
}
.fold .record {
  margin-top: .4rem;
}
.providers {
  display: flex;
  flex-wrap: wrap;
  gap: .5rem;
}
.providers li {
  padding: .2rem .8rem;
  border: 1px solid var(--line);
  border-radius: 1rem;
  background: var(--card);
}
.networks {
  margin-top: .75rem;
  columns: 19rem;
  column-gap: 2rem;
}
.networks li {
  break-inside: avoid;
  padding: .1rem 0;
  overflow-wrap: anywhere;
}
@media (max-width: 30rem) {
  .tree code, .bill code {
    font-size: .8125rem;
  }
  .tree .n, .bill .n {
    font-size: .8125rem;
  }
  .facts {
    gap: 1.1rem;
  }
  .verdict {
    padding-inline: .95rem;
  }
  .actions > * , .actions button {
    padding-inline: .9rem;
  }
  .actions form {
    padding: 0;
  }
  .tree ul ul {
    margin-left: .3rem;
    padding-left: .55rem;
  }
}
@media (forced-colors: active) {
  .bar .used {
    background: CanvasText;
    forced-color-adjust: none;
  }
}
`;
