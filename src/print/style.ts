/** The styles of every printed page. */
export const PRINT_STYLE = `
@page { margin: 18mm 16mm }
:root { color-scheme: light; font: 10.5pt/1.45 system-ui, "Segoe UI", Roboto, sans-serif; color: #111; background: #fff }
body { margin: 0 auto; max-width: 180mm; padding: 10mm 0; overflow-wrap: anywhere }
@media screen { body { padding-inline: 5mm } }
@media screen and (max-width: 30rem) { :root { font-size: 9pt } }
@media print { body { max-width: none; padding: 0 } }
header { margin-block-end: 8mm; padding-block-end: 4mm; border-block-end: 1px solid #bbb }
footer { margin-block-start: 10mm; padding-block-start: 4mm; border-block-start: 1px solid #bbb; font-size: 9pt; color: #444 }
.title { display: flex; gap: 4mm; align-items: baseline; justify-content: space-between }
h1 { font-size: 18pt; line-height: 1.2; margin: 0 }
h2 { font-size: 11.5pt; margin: 7mm 0 2mm; padding-block-end: 1mm; border-block-end: 1px solid #ddd; break-after: avoid }
h3 { font-size: 10.5pt; margin: 0; grid-column: 1 / -1; break-after: avoid }
.about { margin: 1mm 0 6mm; color: #555 }
.state { border: 1px solid currentColor; border-radius: 1mm; padding: .5mm 2mm; color: #8a1c1c; font-weight: 600 }
section { margin-block-end: 4mm }
.columns { display: grid; grid-auto-flow: column; grid-auto-columns: minmax(0, 1fr); gap: 8mm }
.column { display: grid; grid-template-columns: minmax(0, 1fr); gap: 2.5mm 8mm; align-content: start }
.whole > .column { grid-template-columns: repeat(2, minmax(0, 1fr)) }
.wide { grid-column: 1 / -1 }
.field { break-inside: avoid }
.field:has(table) { break-inside: auto }
.label { font-size: 8.5pt; color: #555 }
.figure { font-variant-numeric: tabular-nums; display: flex; align-items: baseline; justify-content: space-between; gap: 4mm; padding-block-end: 1mm; border-block-end: 1px solid #e5e5e5 }
.value { white-space: pre-wrap }
.figure > .value, td.number { white-space: nowrap; overflow-wrap: normal }
/* A column is as wide as its longest word. */
td { overflow-wrap: break-word }
.rich { white-space: normal }
.rich > :first-child { margin-block-start: 0 } .rich > :last-child { margin-block-end: 0 }
table { width: 100%; border-collapse: collapse; margin-block-start: 1mm; white-space: normal }
thead { display: table-header-group }
tr { break-inside: avoid }
th, td { padding: 1.2mm 2mm; border-block-end: 1px solid #ddd; text-align: start; vertical-align: top }
th { overflow-wrap: normal; font-size: 8.5pt; font-weight: 600; color: #333; border-block-end-color: #888 }
.number { text-align: end; font-variant-numeric: tabular-nums }
img { max-width: 100%; max-height: 60mm }
`;
