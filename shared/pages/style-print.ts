/** Print styles: controls are hidden, every branch of the tree is open, and lists of addresses stay collapsed. */
export const printStyle = `
@page {
  margin: 14mm 16mm;
}
@media print {
  html {
    font-size: 8.6pt;
  }
  body {
    max-width: none;
    padding: 0;
    background: none;
    line-height: 1.4;
  }
  .top nav, .skip, form, button, .button, .actions, footer {
    display: none;
  }
  .top {
    padding: 0 0 .5rem;
  }
  h1 {
    font-size: 2rem;
  }
  article {
    margin-top: .25rem;
    gap: 1.3rem;
  }
  .verdict {
    padding: .8rem 1.2rem;
    border: 1px solid var(--tone);
    border-left-width: .4rem;
  }
  .record {
    padding: .5rem .8rem;
    line-height: 1.7;
  }
  .line, .bill li {
    padding: .1rem 0;
  }
  .findings {
    gap: .35rem;
  }
  .findings li {
    padding: .35rem .8rem;
  }
  .fix {
    margin: 0;
  }
  .bar, .bar i, .q, .tag, .sign, .verdict, .odd {
    print-color-adjust: exact;
    -webkit-print-color-adjust: exact;
  }
  .findings li, .facts, .line, .bar {
    break-inside: avoid;
  }
  h2 {
    break-after: avoid;
  }
  .tree details::details-content {
    content-visibility: visible;
    display: block;
  }
  .tree summary .n::after {
    content: none !important;
  }
  .tree .n {
    padding: 0;
  }
  #senders ~ .fold:not([open]) {
    display: none;
  }
}
`;
