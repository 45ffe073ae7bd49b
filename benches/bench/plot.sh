#!/bin/sh
# Draws the ratios to the plain copy that bench measured: plot.sh RESULTS.csv RATIOS.svg
set -eu
command -v gnuplot >/dev/null || { echo "bench: no plot, as gnuplot is missing" >&2; exit 0; }
data=$2.data
sed 1d "$1" | awk -F'"' -v OFS='|' '{ split($1, head, ","); split($3, tail, ","); print head[1], $2, tail[5], tail[10] }' |
    awk -F'|' '
        { key = $1 " ranks: " $2; if (!(key in seen)) { seen[key] = 1; order[++n] = key } ratio[key, $3] = $4 }
        END {
            for (k = 1; k <= n; k++)
                printf "\"%s\" %s %s\n", order[k], value(order[k], "ScaLAPACK"), value(order[k], "reblock")
        }
        function value(key, library) { return (key, library) in ratio ? ratio[key, library] : "NaN" }' >"$data"
[ -s "$data" ] || exit 0
gnuplot <<END
set terminal svg size $((600 + 24 * $(wc -l <"$data"))),640 font "sans,12" background "white"
set output "$2"
set style data histogram
set style histogram clustered gap 1
set style fill solid
set boxwidth 0.9
set logscale y
set yrange [0.5:*]
set ylabel "time / plain copy of the same bytes"
set grid ytics
set xtics rotate by 50 right nomirror
set key outside top center horizontal
set lmargin 22
plot "$data" using 2:xtic(1) title "ScaLAPACK" linecolor rgb "#888888", "" using 3 title "reblock" linecolor rgb "#c0504d"
END
echo "$2"
