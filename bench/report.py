"""From rounds of figures to ratios, tables and charts."""

from xml.sax.saxutils import escape

COLOURS = {"pagoda": "#2a78d6", "llama.cpp": "#e08a3c", "openvino": "#5aa469"}


def metrics_of(figures):
    """{"prefill": 1000.0, "decode": …, "batch 16": …}: more is better."""
    metrics = {"prefill": figures["prefill_tok_s"], "decode": figures["decode_tok_s"]}
    for count, rate in figures["batch_out_tok_s"].items():
        metrics[f"batch {count}"] = rate
    return metrics


def summarise(rounds):
    """Of each metric, the best round and the spread: {"best", "least"}."""
    names = metrics_of(rounds[0])
    values = {name: [metrics_of(one)[name] for one in rounds] for name in names}
    return {
        name: {"best": max(list_), "least": min(list_)} for name, list_ in values.items()
    }


def compare(sides):
    """Of each metric, what Pagoda's best is of the best peer's best, and who
    that is. `sides`: {"pagoda": summary, "llama.cpp": summary, …}."""
    ratios = {}
    for name, own in sides["pagoda"].items():
        peers = {
            side: summary[name]["best"]
            for side, summary in sides.items()
            if side != "pagoda" and name in summary
        }
        if peers:
            best = max(peers, key=peers.get)
            ratios[name] = {"peer": best, "ratio": own["best"] / peers[best]}
    return ratios


def shares_of_limits(profile, sides):
    """Prefill in units of the int8 limit, decode in units of the read limit."""
    phases = {phase["name"]: phase for phase in profile["phases"]}
    limits, own = profile["limits"], sides["pagoda"]
    integer = sum(
        kernel["operations"]
        for kernel in phases["prefill"]["kernels"]
        if kernel["family"].endswith("_i8")
    )
    per_token = integer / phases["prefill"]["tokens"]
    weights = sum(
        kernel["bytes"]
        for kernel in phases["decode"]["kernels"]
        if kernel["family"].startswith("linear")
    )
    return {
        "prefill": own["prefill"]["best"] * per_token / (limits["int8_gop_s"] * 1e9),
        "decode": own["decode"]["best"] * weights / (limits["read_gb_s"] * 1e9),
    }


def table(sides, ratios, shares):
    """Rows of text: a metric, each side's best with its spread, the ratio."""
    heads = ["tokens/s", *sides, "of the best peer", "of the limit"]
    rows = []
    for name in sides["pagoda"]:
        row = [name]
        for summary in sides.values():
            figure = summary.get(name)
            row.append(
                f"{figure['best']:.0f} ({figure['least']:.0f})" if figure else "-"
            )
        row.append(f"{ratios[name]['ratio']:.2f}" if name in ratios else "-")
        row.append(f"{shares[name]:.0%}" if name in shares else "-")
        rows.append(row)
    return [heads, *rows]


def as_text(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def as_markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return "\n".join(lines)


def as_svg(title, sides):
    """Bars of each metric, scaled to its largest."""
    metrics, height, left, wide = list(sides["pagoda"]), 18, 110, 420
    group = height * len(sides) + 14
    total = 50 + group * len(metrics)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + wide + 110}" height="{total}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="10" y="22" font-size="14">{escape(title)}</text>',
    ]
    for index, name in enumerate(metrics):
        top = 40 + index * group
        parts.append(f'<text x="10" y="{top + group / 2 - 4}">{escape(name)}</text>')
        best = max(summary[name]["best"] for summary in sides.values() if name in summary)
        for place, (side, summary) in enumerate(sides.items()):
            if name not in summary:
                continue
            rate = summary[name]["best"]
            y = top + place * height
            parts.append(
                f'<rect x="{left}" y="{y}" width="{wide * rate / best:.1f}" height="{height - 3}" '
                f'fill="{COLOURS.get(side, "#888")}"/>'
                f'<text x="{left + wide * rate / best + 5:.1f}" y="{y + 12}">'
                f"{escape(side)} {rate:.0f}</text>"
            )
    return "\n".join([*parts, "</svg>"]) + "\n"
