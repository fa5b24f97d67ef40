/* the turn of + and - */
angle increment: 60
initial color: 1
initial line width: 0.2
line style: cylinder
viewpoint: 0,1,3
view reference point: 0,0,0
projection: parallel
z buffer: on
render mode: shaded
light direction: 1.0,1.5,0.5
tropism direction: 0.0,1.0,0.0
initial elasticity: 0.05
surface: l leaf.s 7 6 6
contour: 1 stem.con
function set: growth.fset
