#!/bin/sh
# Draws the ratios to the plain copy that bench measured: plot.sh RESULTS.csv RATIOS.svg
set -eu
command -v gnuplot >/dev/null || { echo "bench: no plot, as gnuplot is missing" >&2; exit 0; }
data=$2.data
libraries=$(sed 1d "$1" | awk -F'"' '{ split($3, tail, ","); if (tail[5] !~ /^(memcpy|gemr2d|local)/ && !seen[tail[5]]++) print tail[5] }')
sed 1d "$1" | awk -F'"' -v OFS='|' '{ split($1, head, ","); split($3, tail, ","); print head[1], $2, tail[5], tail[10] }' |
    awk -F'|' -v libraries="$libraries" '
        { key = $1 " ranks: " $2; if (!(key in seen)) { seen[key] = 1; order[++n] = key } ratio[key, $3] = $4 }
        END {
            count = split(libraries, library, "\n")
            for (k = 1; k <= n; k++) {
                printf "\"%s\"", order[k]
                for (l = 1; l <= count; l++)
                    printf " %s", (order[k], library[l]) in ratio ? ratio[order[k], library[l]] : "NaN"
                print ""
            }
        }' >"$data"
[ -s "$data" ] || exit 0
# Each library has a column of the data.
bars=$(echo "$libraries" | awk -v data="$data" '
    BEGIN { split("888888 c0504d 4f81bd 9bbb59 8064a2 f79646", colour) }
    { printf("%s\"%s\" using %d%s title \"%s\" noenhanced linecolor rgb \"#%s\"", (NR > 1 ? ", " : ""),
        (NR > 1 ? "" : data), NR + 1, (NR > 1 ? "" : ":xtic(1)"), $0, colour[(NR - 1) % 6 + 1]) }')
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
plot $bars
END
echo "$2"
