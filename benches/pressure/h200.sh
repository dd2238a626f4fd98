for f in .gl/*.deb; do dpkg -x $f /; done; ldconfig
export VK_DRIVER_FILES=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json SASTRUGI_CACHE_DIR=/tmp/cache
S=.bin/sastrugi; P=benches/pressure
show() { tail -1 $1/log.csv; python3 - $1 <<'X'
import json,sys
m=json.load(open(sys.argv[1]+'/manifest.json')); it=int(float(open(sys.argv[1]+'/log.csv').read().split('\n')[-2].split(',')[3]))
t={}
for r in m['stage_gpu_ms']:
    k=r['stage'].replace('solver_','').replace('_back',''); t[k]=t.get(k,0)+r['median_ms']
print(round(1e3/m['steps_per_second'],3),'ms/step', round(1e6/m['steps_per_second']/max(it,1),1),'us/iteration; us per iteration:', {k: round(v/max(it,1)*1e3,1) for k,v in t.items() if v/max(it,1)*1e3>0.5})
X
}
for n in ${MG:-64 128 256 512}; do echo "== MG $n"; $S run $P/pressure.json --quiet --out /tmp/m$n --set n=$n --frames 10 --force $EXTRA; show /tmp/m$n; done
for n in ${CG:-128 256}; do echo "== CG $n"; for most in 300; do $S run $P/pressure_cg.json --quiet --out /tmp/d$n-$most --set n=$n --frames 20 --set solver.relative=0 --set solver.most=$most --force $EXTRA; show /tmp/d$n-$most; done; done
[ -n "$KINDS" ] && for k in $KINDS; do echo "== kind $k"; $S run $P/pressure.json --quiet --out /tmp/k$k --set n=${KN:-128} --set kind=$k --frames 2; tail -1 /tmp/k$k/log.csv; done
[ -n "$CUPY" ] && python3 $P/cupy_cg.py $CUPY
